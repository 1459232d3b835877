import type { UsageEntry, UsageStore } from '@helix-agents/core';
import { rollupUsage, usageEntryFromRow, usageRowFromEntry } from '@helix-agents/core';
import type { SqlDriver, SqlParam } from './driver.ts';
import { encodeRow, insertColumns, selectList } from './rows/column.ts';
import { usage } from './rows/tables.ts';
import { decodeAll } from './session/session-reads.ts';

/** An id that is already there is left out, so that a repeated call counts once. */
const insertEntry = `insert into __agents_usage (${insertColumns(usage).join(', ')})
  values (${insertColumns(usage)
    .map((_, position) => `?${position + 1}`)
    .join(', ')}) on conflict (id) do nothing`;

const ofSession = `select ${selectList(usage, 'u')} from __agents_usage as u
  where u.session_id = ?1 and (?2 is null or u.kind in (select value from json_each(?2)))
  order by u.timestamp, u.rowid`;

/** By session rows; where there are none, an entry still names its root. */
const ofTree = `with recursive below (session_id) as (
    select ?1
    union select s.session_id from __agents_sessions as s
      join below as b on s.parent_session_id = b.session_id)
  select ${selectList(usage, 'u')} from __agents_usage as u
  where u.session_id in (select session_id from below) or u.root_id = ?1`;

export function createSqlUsageStore(driver: SqlDriver): UsageStore {
  const entries = async (sql: string, params: readonly SqlParam[]): Promise<UsageEntry[]> =>
    decodeAll(usage, await driver.all({ sql, params })).map(usageEntryFromRow);
  return {
    async recordEntry(entry) {
      await driver.batch([
        { sql: insertEntry, params: encodeRow(usage, usageRowFromEntry(entry)) },
      ]);
    },
    async getEntries(sessionId, filter = {}) {
      const kinds = filter.kinds === undefined ? null : JSON.stringify(filter.kinds);
      return entries(ofSession, [sessionId, kinds]);
    },
    async getRollup(sessionId) {
      return rollupUsage(await entries(ofTree, [sessionId]));
    },
  };
}
