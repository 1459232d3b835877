import { unavailable } from '../response/refusal.ts';

/** What the bodies of requests that were not let in yet may take of the memory, together. */
export interface BodyBudget {
  open(): BodyHold;
}

/** The part of one request. */
export interface BodyHold {
  /** Counts what came. Throws a 503 where there is no room: the sender tries again later. */
  take(bytes: number): void;
  /** Nothing is held any more, or the caller was let in. Does nothing the second time. */
  release(): void;
}

/** 32 MB. */
const DEFAULT_BODY_BUDGET_BYTES = 33_554_432;

/**
 * Counts what arrived, not what was announced: a length that is only declared takes nothing from others. A body that is
 * alone is always taken, however small the budget: it has a limit of its own.
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
