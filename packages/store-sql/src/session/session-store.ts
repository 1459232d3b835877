import type {
  CarryingSessions,
  LeaseState,
  SessionIndex,
  SessionStore,
} from '@helix-agents/core/store';
import { callerClock, nowParam, type SqlClock } from '../clock.ts';
import { renderBatch } from '../commit/render-batch.ts';
import type { Dialect } from '../dialect.ts';
import type { SqlDriver, SqlRow } from '../driver.ts';
import { memoize } from '../memoize.ts';
import { columnNames, decodeAll } from '../rows/column.ts';
import { interrupts } from '../rows/tables.ts';
import { createCallWrites, type CallWrites } from './call-writes.ts';
import { renderDelete } from './delete-session.ts';
import { createInputWrites, type InputWrites } from './input-writes.ts';
import { createSessionIndex } from './session-index.ts';
import { createSessionReads, type SessionReads } from './session-reads.ts';

export interface SqlSessionStoreOptions {
  /** A new id for each attempt at a write. */
  readonly newWriteId?: () => string;
  /** By default that of the caller: the `now` of each call is the time. */
  readonly clock?: SqlClock;
  /** Given if plans may carry writes to streams, which are those of the stream store with the same object. */
  readonly database?: object;
}

/** Sessions in any database with a `SqlDriver`. Its `commit` is for drivers that take several statements, on the caller's clock. */
export function createSqlSessionStore(
  driver: SqlDriver,
  options: SqlSessionStoreOptions = {},
): SessionStore & SessionIndex & Partial<CarryingSessions> {
  const { newWriteId = () => crypto.randomUUID(), clock = callerClock, database } = options;
  return {
    ...(database && { database }),
    ...createSessionReads(driver),
    ...createCallWrites(driver, clock),
    ...createInputWrites(driver, clock),
    ...createSessionIndex(driver, clock),
    ...createSessionWrites(driver, clock, newWriteId),
  };
}

type SessionWrites = Omit<SessionStore, keyof SessionReads | keyof CallWrites | keyof InputWrites>;

function createSessionWrites(
  driver: SqlDriver,
  clock: SqlClock,
  newWriteId: () => string,
): SessionWrites {
  const insertInterrupt = insertInterruptOn(driver.dialect)(clock);
  return {
    async commit(plan) {
      const statements = renderBatch(plan, driver.canStop ? null : newWriteId());
      const session = plan.sessions?.[0] ?? plan.insert?.sessions?.[0];
      try {
        const [first] = await driver.batch(statements, {
          writer: session?.sessionId ?? '',
          stopAtMiss: true,
        });
        return first?.changes === 1;
      } catch (error) {
        if (driver.isUniqueViolation(error)) return false;
        throw error;
      }
    },
    async requestInterrupt(ref, reason, now, { runId, scope = 'tree' } = {}) {
      const text = reason === null ? null : JSON.stringify(reason);
      const params = [ref.sessionId, text, nowParam(clock, now), runId ?? null, scope];
      const [written] = await driver.batch([{ sql: insertInterrupt, params }]);
      return decodeAll(interrupts, written?.rows)[0] ?? null;
    },
    renewLease: createRenewLease(driver, clock),
    async deleteSession(ref, guard) {
      const statements = renderDelete(ref.sessionId, guard?.version ?? null, driver.dialect);
      for (;;) {
        const row = (await driver.batch(statements)).at(-1)?.rows[0];
        if (row?.['deleted'] !== false) return row !== undefined;
      }
    },
  };
}

const running = `s.session_id = ?1 and s.status = 'running' and s.run_id = coalesce(?4, s.run_id)`;

/** On conflict the update changes nothing, and returns the existing row. */
const insertInterruptOn = memoize((dialect: Dialect) =>
  memoize(
    (clock: SqlClock) => `with s as (
    ${dialect.interruptedSession('s.session_id, s.run_id', running)})
  insert into __agents_interrupt_flags (session_id, run_id, reason, scope, timestamp)
  select s.session_id, s.run_id, ?2, ?5, ${clock.at('?3')} from s where true
  on conflict (session_id, run_id) do update set run_id = excluded.run_id
  returning ${columnNames(interrupts)}`,
  ),
);

/** The table name, because SQLite allows no alias in `returning`. */
const row = '__agents_sessions';
const interrupted = `case when exists (select 1 from __agents_interrupt_flags as i
    where i.session_id = ${row}.session_id and i.run_id = ${row}.run_id) then 1 else 0 end`;

/** The owner is compared too: a lease that was handed over must not be extended by its former owner. */
const extendLeaseOn = memoize(
  (
    clock: SqlClock,
  ) => `update ${row} set lease_until = ${clock.at('?4')}, updated_at = ${clock.at('?5')}
  where session_id = ?1 and status = 'running' and epoch = ?2 and lease_owner = ?3
  returning 1 as owned, ${interrupted} as interrupted`,
);

const readLease = `select ${interrupted} as interrupted,
    case when status = 'running' and epoch = ?2 then 1 else 0 end as owned
  from ${row} where session_id = ?1`;

function createRenewLease(driver: SqlDriver, clock: SqlClock): SessionStore['renewLease'] {
  const extendLease = extendLeaseOn(clock);
  return async ({ sessionId, epoch, owner, extendMs, now }): Promise<LeaseState> => {
    const key = [sessionId, epoch];
    let row: SqlRow | undefined;
    if (extendMs !== null) {
      const renewed = nowParam(clock, now);
      const params = [...key, owner, renewed + extendMs, renewed];
      const [extended] = await driver.batch([{ sql: extendLease, params }], { relaxed: true });
      row = extended?.rows[0];
    }
    row ??= (await driver.all({ sql: readLease, params: key }))[0];
    return { owned: row?.['owned'] === 1, interrupted: row?.['interrupted'] === 1 };
  };
}
