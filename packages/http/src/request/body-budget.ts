import { unavailable } from '../response/refusal.ts';

/** Limits the memory that the bodies of all requests take until they are authenticated. */
export interface BodyBudget {
  open(): BodyHold;
}

/** The share of one request. */
export interface BodyHold {
  /** Counts bytes that arrived. Throws a 503 if there is no room: the sender can try again later. */
  take(bytes: number): void;
  /** To be called when the body is no longer held, or the caller is authenticated. A second call does nothing. */
  release(): void;
}

/** 32 MB. */
const DEFAULT_BODY_BUDGET_BYTES = 33_554_432;

/**
 * Counts bytes that arrived, not the declared length, so that a mere declaration takes nothing from other requests. A body
 * that is the only one is always accepted, however small the budget: it has a limit of its own.
 */
export function createBodyBudget(maxBytes: number = DEFAULT_BODY_BUDGET_BYTES): BodyBudget {
  let held = 0;
  return {
    open() {
      let own = 0;
      return {
        take(bytes) {
          const isAlone = held === own;
          if (held + bytes > maxBytes && !isAlone) {
            throw unavailable('Too many bodies are being received; send the request again.');
          }
          held += bytes;
          own += bytes;
        },
        release() {
          held -= own;
          own = 0;
        },
      };
    },
  };
}
