import type {
  OpenCallFilter,
  OpenCallRow,
  Page,
  SessionFilter,
  SessionRow,
} from '@helix-agents/core';
import {
  readCursor,
  writeCursor,
  type ListPosition,
  type SessionIndex,
} from '@helix-agents/core/store';
import type { SqlClock } from '../clock.ts';
import type { SqlDriver } from '../driver.ts';
import { decodeAll, selectList } from '../rows/column.ts';
import { openCalls, sessions } from '../rows/tables.ts';
import { createFindDue } from './find-due.ts';
import { createWhere } from './where.ts';

const DEFAULT_LIMIT = 100;

const rootOfSession = 'select root_id from __agents_sessions where session_id = ?1';

export function createSessionIndex(driver: SqlDriver, clock: SqlClock): SessionIndex {
  return {
    async findRoot(sessionId) {
      const [row] = await driver.all({ sql: rootOfSession, params: [sessionId] });
      return row === undefined ? null : String(row['root_id']);
    },
    listSessions: (filter = {}) => listSessions(driver, filter),
    listOpenCalls: (filter = {}) => listOpenCalls(driver, filter),
    findDue: createFindDue(driver, clock),
  };
}

async function listSessions(driver: SqlDriver, filter: SessionFilter): Promise<Page<SessionRow>> {
  const { dialect } = driver;
  const where = createWhere();
  if (filter.rootsOnly !== false) where.add('s.session_id = s.root_id');
  if (filter.status) where.add(dialect.isOneOf('s.status', '?'), JSON.stringify(filter.status));
  if (filter.agentType !== undefined) where.add('s.agent_type = ?', filter.agentType);
  if (filter.userId !== undefined) where.add('s.user_id = ?', filter.userId);
  if (filter.tags?.length)
    where.add(dialect.listHasAll('s.tags', '?'), JSON.stringify(filter.tags));
  if (filter.metadata) {
    where.add(dialect.objectHasAll('s.metadata', '?'), JSON.stringify(filter.metadata));
  }
  if (filter.cursor !== undefined) {
    const [updatedAt, sessionId = ''] = readCursor(filter.cursor, 1);
    where.add(
      '(s.updated_at < ? or (s.updated_at = ? and s.session_id > ?))',
      updatedAt,
      updatedAt,
      sessionId,
    );
  }
  const limit = filter.limit ?? DEFAULT_LIMIT;
  const rows = await driver.all({
    sql: `select ${selectList(sessions, 's')} from __agents_sessions as s ${where.text()}
      order by s.updated_at desc, s.session_id limit ?`,
    params: [...where.params, limit + 1],
  });
  return pageOf(decodeAll(sessions, rows), limit, (row) => [row.updatedAt, row.sessionId]);
}

async function listOpenCalls(
  driver: SqlDriver,
  filter: OpenCallFilter,
): Promise<Page<OpenCallRow>> {
  const where = createWhere();
  where.add(`c.state = 'open'`);
  if (filter.rootSessionId !== undefined) where.add('c.root_id = ?', filter.rootSessionId);
  if (filter.userId !== undefined) where.add('c.user_id = ?', filter.userId);
  if (filter.agentType !== undefined) where.add('c.owner_agent_type = ?', filter.agentType);
  if (filter.kind !== undefined) where.add('c.kind = ?', filter.kind);
  if (filter.toolName !== undefined) where.add('c.tool_name = ?', filter.toolName);
  if (filter.dueBefore !== undefined) where.add('c.deadline_at < ?', filter.dueBefore);
  if (filter.cursor !== undefined) {
    where.add(
      '(c.opened_at, c.root_id, c.tool_call_id, c.part) > (?, ?, ?, ?)',
      ...readCursor(filter.cursor, 3),
    );
  }
  const limit = filter.limit ?? DEFAULT_LIMIT;
  const rows = await driver.all({
    sql: `select ${selectList(openCalls, 'c')} from __agents_open_calls as c ${where.text()}
      order by c.opened_at, c.root_id, c.tool_call_id, c.part limit ?`,
    params: [...where.params, limit + 1],
  });
  return pageOf(decodeAll(openCalls, rows), limit, (row) => [
    row.openedAt,
    row.rootId,
    row.toolCallId,
    row.part,
  ]);
}

/** `rows` has one row more than the limit if there is a next page. */
function pageOf<Row>(
  rows: readonly Row[],
  limit: number,
  positionOf: (row: Row) => ListPosition,
): Page<Row> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const more = rows.length > limit && last !== undefined;
  return { items, cursor: more ? writeCursor(positionOf(last)) : null };
}
