import { callFits, readCursor, sessionFits, writeCursor } from '@helix-agents/core/store';
import type {
  OpenCallFilter,
  OpenCallRow,
  Page,
  SessionFilter,
  SessionRow,
} from '@helix-agents/core';
import type { SessionIndex } from '@helix-agents/core/store';
import type { RedisDatabase } from '../database.ts';
import { decodeId, encodeId } from '../keys.ts';
import { readCallsScript } from '../lua/reads.ts';
import { SESSION_NAMES } from '../rows/columns.ts';
import { decodeCall, decodeSession } from '../rows/decode.ts';
import { toJson } from '../rows/encode.ts';
import { findDue } from './find-due.ts';
import { compareEntries, mergeAreas, type IndexEntry } from './merge-areas.ts';
import { findRoot } from './locate.ts';
import { callField } from './plan-words.ts';

const DEFAULT_LIMIT = 100;
/** How many rows are read at a time. */
const BATCH = 64;

export function createSessionIndex(database: RedisDatabase): SessionIndex {
  return {
    findRoot: (sessionId) => findRoot(database, sessionId),
    listSessions: (filter = {}) => listSessions(database, filter),
    listOpenCalls: (filter = {}) =>
      filter.rootSessionId === undefined
        ? listOpenCalls(database, filter)
        : listCallsOfRoot(database, filter.rootSessionId, filter),
    findDue: (input) => findDue(database, input),
  };
}

/** The score of a session is the negative of `updatedAt`, so that the latest comes first and ids ascend. */
const LATEST_FIRST = -1;

async function listSessions(
  database: RedisDatabase,
  filter: SessionFilter,
): Promise<Page<SessionRow>> {
  const after = entryAt(filter.cursor, LATEST_FIRST);
  const roots = filter.userId === undefined ? 'roots' : `roots:${toJson(filter.userId)}`;
  const children = filter.rootsOnly === false ? [mergeAreas(database, 'children', after)] : [];
  const entries = mergeTwo([mergeAreas(database, roots, after), ...children]);
  const read = async ({ member }: IndexEntry): Promise<SessionRow | null> => {
    const [id = '', root = id] = member.split(':');
    const key = `${database.keys.treeOf(decodeId(root))}:session:${id}`;
    return decodeSession(
      (await database.client.call('HMGET', [key, ...SESSION_NAMES])) as string[],
    );
  };
  return takePage(entries, filter.limit, read, (row) => sessionFits(row, filter), LATEST_FIRST);
}

/** `inbox` has all open calls by the time they were opened. */
async function listOpenCalls(
  database: RedisDatabase,
  filter: OpenCallFilter,
): Promise<Page<OpenCallRow>> {
  const index = filter.userId === undefined ? 'inbox' : `inbox:${toJson(filter.userId)}`;
  const read = async ({ member }: IndexEntry): Promise<OpenCallRow | null> => {
    const cut = member.indexOf(':');
    const tree = database.keys.treeOf(decodeId(member.slice(0, cut)));
    const text = await database.client.call('HGET', [`${tree}:calls`, member.slice(cut + 1)]);
    return text === null ? null : decodeCall(text as string);
  };
  const entries = mergeAreas(database, index, entryAt(filter.cursor));
  return takePage(entries, filter.limit, read, (row) => callFits(row, filter));
}

async function listCallsOfRoot(
  database: RedisDatabase,
  rootId: string,
  filter: OpenCallFilter,
): Promise<Page<OpenCallRow>> {
  const [live = []] = (await database.onTree(readCallsScript, rootId, 0)) as string[][];
  const after = entryAt(filter.cursor);
  const found = live
    .map(decodeCall)
    .map((row) => ({ row, score: row.openedAt, member: `${encodeId(rootId)}:${callField(row)}` }))
    .filter((entry) => after === null || compareEntries(entry, after) > 0)
    .sort(compareEntries);
  const rows = new Map(found.map((entry) => [entry.member, entry.row]));
  const read = async ({ member }: IndexEntry): Promise<OpenCallRow | null> =>
    rows.get(member) ?? null;
  return takePage(fromArray(found), filter.limit, read, (row) => callFits(row, filter));
}

/** Reads rows in the order of the index until a page is full. Rows that were deleted meanwhile or do not match are skipped. */
async function takePage<Row>(
  entries: AsyncIterable<IndexEntry>,
  limit: number = DEFAULT_LIMIT,
  read: (entry: IndexEntry) => Promise<Row | null>,
  fits: (row: Row) => boolean,
  sign: 1 | -1 = 1,
): Promise<Page<Row>> {
  const items: Row[] = [];
  let cursor: string | null = null;
  for await (const batch of inBatches(entries)) {
    const rows = await Promise.all(batch.map(read));
    for (const [place, entry] of batch.entries()) {
      const row = rows[place];
      if (!row || !fits(row)) continue;
      if (items.length === limit) return { items, cursor };
      items.push(row);
      cursor = writeCursor([sign * entry.score, entry.member]);
    }
  }
  return { items, cursor: null };
}

async function* inBatches(entries: AsyncIterable<IndexEntry>): AsyncGenerator<IndexEntry[]> {
  let batch: IndexEntry[] = [];
  for await (const entry of entries) {
    batch.push(entry);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function* mergeTwo(lists: readonly AsyncGenerator<IndexEntry>[]): AsyncGenerator<IndexEntry> {
  const heads = await Promise.all(lists.map((list) => list.next()));
  for (;;) {
    let first = -1;
    for (const [place, head] of heads.entries()) {
      if (head.done) continue;
      const best = heads[first];
      if (!best || best.done || compareEntries(head.value, best.value) < 0) first = place;
    }
    const head = heads[first];
    if (!head || head.done) return;
    yield head.value;
    heads[first] = await (lists[first] as AsyncGenerator<IndexEntry>).next();
  }
}

async function* fromArray<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

/** A cursor is the time and the member of the last entry. */
function entryAt(cursor: string | undefined, sign: 1 | -1 = 1): IndexEntry | null {
  if (cursor === undefined) return null;
  const [time, member = ''] = readCursor(cursor, 1);
  return { score: sign * time, member };
}
