/** How times are written into statements. */
export interface SqlClock {
  /** What times in parameters are relative to, for a caller whose clock shows `now`. */
  originOf(now: number): number;
  /** SQL for the time that a parameter stands for. */
  at(param: string): string;
}

/** The caller's now, as a parameter. */
export function nowParam(clock: SqlClock, now: number): number {
  return now - clock.originOf(now);
}

/** Times are stored as the caller gives them. */
export const callerClock: SqlClock = { originOf: () => 0, at: (param) => param };

/** The clock of the Postgres server in milliseconds, constant within a statement. */
export const POSTGRES_NOW = '(extract(epoch from statement_timestamp()) * 1000)::bigint';

/**
 * Times are sent relative to the caller's now, and the server adds its own: processes whose clocks differ agree, and durations are
 * kept.
 */
export const postgresClock: SqlClock = {
  originOf: (now) => now,
  at: (param) => `(${POSTGRES_NOW} + ${param})`,
};
