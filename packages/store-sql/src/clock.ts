/** How a store puts times into statements. */
export interface SqlClock {
  /** What times in parameters count from, for a caller on whose clock it is `now`. */
  originOf(now: number): number;
  /** The time that a parameter stands for. */
  at(param: string): string;
}

/** The caller's now, as a parameter. */
export function nowParam(clock: SqlClock, now: number): number {
  return now - clock.originOf(now);
}

/** Times are as the caller gives them. */
export const callerClock: SqlClock = { originOf: () => 0, at: (param) => param };

/** The time of a Postgres server in milliseconds, the same all over a statement. */
export const POSTGRES_NOW = '(extract(epoch from statement_timestamp()) * 1000)::bigint';

/**
 * Times leave as what they are from the caller's now, and the server adds its own: processes whose clocks differ agree,
 * and durations stay.
 */
export const postgresClock: SqlClock = {
  originOf: (now) => now,
  at: (param) => `(${POSTGRES_NOW} + ${param})`,
};
