import type { UsageStore } from '@helix-agents/core';
import type { UsageEntry } from '@helix-agents/core/store';
import { rollupUsage, usageEntryFromRow, usageRowFromEntry } from '@helix-agents/core/store';
import type { Dialect } from './dialect.ts';
import type { SqlDriver, SqlParam } from './driver.ts';
import { memoize } from './memoize.ts';
import { decodeAll, encodeRow, insertColumns, selectList } from './rows/column.ts';
import { usage } from './rows/tables.ts';

/** A known id is ignored, so that a repeated call counts once. */
const insertEntry = `insert into __agents_usage (${insertColumns(usage).join(', ')})
  values (${insertColumns(usage)
    .map((_, position) => `?${position + 1}`)
    .join(', ')}) on conflict do nothing`;

const ofSession = (dialect: Dialect, filter = ''): string =>
  `select ${selectList(usage, 'u')} from __agents_usage as u
  where u.session_id = ?1 ${filter} order by u.timestamp, ${dialect.insertOrder('u')}`;

/** Descendants by their session rows; entries without a session row count for the root they name. */
const ofTree = (dialect: Dialect): string => `with recursive below (session_id) as (
    select ${dialect.text('?1')}
    union select s.session_id from __agents_sessions as s
      join below as b on s.parent_session_id = b.session_id)
  select ${selectList(usage, 'u')} from __agents_usage as u
  where u.session_id in (select session_id from below)
    or (u.root_id = ?1 and u.root_id <> u.session_id)`;

const textsOf = memoize((dialect: Dialect) => ({
  all: ofSession(dialect),
  ofKinds: ofSession(dialect, `and ${dialect.isOneOf('u.kind', '?2')}`),
  tree: ofTree(dialect),
}));

export function createSqlUsageStore(driver: SqlDriver): UsageStore {
  const { all, ofKinds, tree } = textsOf(driver.dialect);
  const entries = async (sql: string, params: readonly SqlParam[]): Promise<UsageEntry[]> =>
    decodeAll(usage, await driver.all({ sql, params })).map(usageEntryFromRow);
  return {
    async recordEntry(entry) {
      await driver.batch([
        { sql: insertEntry, params: encodeRow(usage, usageRowFromEntry(entry)) },
      ]);
    },
    async getEntries(sessionId, filter = {}) {
      return filter.kinds === undefined
        ? entries(all, [sessionId])
        : entries(ofKinds, [sessionId, JSON.stringify(filter.kinds)]);
    },
    async getRollup(sessionId) {
      return rollupUsage(await entries(tree, [sessionId]));
    },
  };
}
