import type { LeaseState, RenewLease, SessionIndex, SessionStore } from '@helix-agents/core';
import { renderBatch } from '../commit/render-batch.ts';
import type { SqlDriver } from '../driver.ts';
import { selectList } from '../rows/column.ts';
import { interrupts } from '../rows/tables.ts';
import { createCallWrites, type CallWrites } from './call-writes.ts';
import { renderDelete } from './delete-session.ts';
import { createSessionIndex } from './session-index.ts';
import { createSessionReads, decodeAll, type SessionReads } from './session-reads.ts';

export interface SqlSessionStoreOptions {
  /** Names an attempt at a write; never the same twice. */
  readonly newWriteId?: () => string;
}

/** Sessions in any database a `SqlDriver` speaks to. Has no clock: the `now` of each call is the time. */
export function createSqlSessionStore(
  driver: SqlDriver,
  options: SqlSessionStoreOptions = {},
): SessionStore & SessionIndex {
  const newWriteId = options.newWriteId ?? (() => crypto.randomUUID());
  return {
    ...createSessionReads(driver),
    ...createCallWrites(driver),
    ...createSessionIndex(driver),
    ...createSessionWrites(driver, newWriteId),
  };
}

type SessionWrites = Omit<SessionStore, keyof SessionReads | keyof CallWrites>;

function createSessionWrites(driver: SqlDriver, newWriteId: () => string): SessionWrites {
  return {
    async commit(plan) {
      const statements = renderBatch(plan, newWriteId());
      try {
        const [first] = await driver.batch(statements);
        return first?.changes === 1;
      } catch (error) {
        if (driver.isUniqueViolation(error)) return false;
        throw error;
      }
    },
    async requestInterrupt(ref, reason, now) {
      const key = [ref.sessionId];
      const [, read] = await driver.batch([
        {
          sql: insertInterrupt,
          params: [...key, reason === null ? null : JSON.stringify(reason), now],
        },
        { sql: readInterrupt, params: key },
      ]);
      return decodeAll(interrupts, read?.rows)[0] ?? null;
    },
    renewLease: (input) => renewLease(driver, input),
    async deleteSession(ref) {
      await driver.batch(renderDelete(ref.sessionId));
    },
  };
}

const running = `s.session_id = ?1 and s.status = 'running'`;

const insertInterrupt = `insert into __agents_interrupt_flags (session_id, run_id, reason, timestamp)
  select s.session_id, s.run_id, ?2, ?3 from __agents_sessions as s where ${running}
  on conflict (session_id, run_id) do nothing`;

const readInterrupt = `select ${selectList(interrupts, 'i')} from __agents_sessions as s
  join __agents_interrupt_flags as i on i.session_id = s.session_id and i.run_id = s.run_id
  where ${running}`;

/** The owner is asked for too: a lease that was handed over must not come back. */
const extendLease = `update __agents_sessions as s set lease_until = ?4
  where ${running} and s.epoch = ?2 and s.lease_owner = ?3`;

const readLease = `select
    s.status = 'running' and s.epoch = ?2 as owned,
    exists (select 1 from __agents_interrupt_flags as i
      where i.session_id = s.session_id and i.run_id = s.run_id) as interrupted
  from __agents_sessions as s where s.session_id = ?1`;

async function renewLease(driver: SqlDriver, input: RenewLease): Promise<LeaseState> {
  const key = [input.sessionId, input.epoch];
  const read = { sql: readLease, params: key };
  if (input.extendMs === null) {
    const [row] = await driver.all(read);
    return { owned: row?.['owned'] === 1, interrupted: row?.['interrupted'] === 1 };
  }
  const params = [...key, input.owner, input.now + input.extendMs];
  const [, found] = await driver.batch([{ sql: extendLease, params }, read], { relaxed: true });
  const row = found?.rows[0];
  return { owned: row?.['owned'] === 1, interrupted: row?.['interrupted'] === 1 };
}
