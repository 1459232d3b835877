import type { StoredChunk, StreamEntry, StreamInfo, StreamStatus } from '@helix-agents/core';
import { groupRows } from '../commit/row-groups.ts';
import type { Dialect } from '../dialect.ts';
import type { SqlRow, Statement } from '../driver.ts';

const createStream = `insert into __agents_streams
    (stream_id, status, head, agent_id, agent_type, created_at, updated_at)
  values (?1, 'active', 0, ?2, ?3, ?4, ?4) on conflict (stream_id) do nothing`;

/** Entries whose dedupe key is known burn no number. `?1` is the stream, `?2` the time. */
const insertEntries = (entries: string): string => `insert into __agents_stream_chunks
    (stream_id, sequence, chunk, dedupe_key, created_at)
  select s.stream_id, s.head + row_number() over (order by e.place), e.chunk, e.dedupe_key, ?2
  from (${entries}) as e join __agents_streams as s on s.stream_id = ?1 and s.status = 'active'
  where e.dedupe_key is null or not exists (
    select 1 from __agents_stream_chunks as c
    where c.stream_id = ?1 and c.dedupe_key = e.dedupe_key)`;

const insertOne = insertEntries('select ?3 as chunk, ?4 as dedupe_key, 0 as place');
const insertMany = insertEntries(
  'select j.value ->> 0 as chunk, j.value ->> 1 as dedupe_key, j.key as place from json_each(?3) as j',
);

const moveHead = `update __agents_streams set updated_at = ?2, head = max(head, coalesce(
    (select max(c.sequence) from __agents_stream_chunks as c where c.stream_id = ?1), 0))
  where stream_id = ?1 and status = 'active'`;

const readInfo = `select status, head from __agents_streams where stream_id = ?1`;

/** Numbers have no gaps, so the first one that is kept says how many are. */
const readWholeInfo = `select s.status, s.head, coalesce((select min(c.sequence)
    from __agents_stream_chunks as c where c.stream_id = ?1), s.head + 1) as first
  from __agents_streams as s where s.stream_id = ?1`;

const trim = `delete from __agents_stream_chunks where stream_id = ?1 and sequence <= ?2`;

const deleteChunks = `delete from __agents_stream_chunks where stream_id = ?1`;
const deleteStream = `delete from __agents_streams where stream_id = ?1`;

const readPage = `select sequence, chunk from __agents_stream_chunks
  where stream_id = ?1 and sequence > ?2 order by sequence limit ?3`;

/** No chunk after the one that brings them to `?4` bytes: what is left out is measured, not read. */
const readBoundedPage = `select sequence, chunk from __agents_stream_chunks
  where stream_id = ?1 and sequence > ?2 and sequence <= (
    select max(sequence) from (
      select sequence, sum(bytes) over (order by sequence) - bytes as bytes_before
      from (select sequence, octet_length(chunk) as bytes from __agents_stream_chunks
        where stream_id = ?1 and sequence > ?2 order by sequence limit ?3) as page) as sized
    where bytes_before < ?4)
  order by sequence`;

export function renderCreate(
  streamId: string,
  agent: { readonly agentId: string; readonly agentType: string } | null,
  now: number,
): Statement {
  return {
    sql: createStream,
    params: [streamId, agent?.agentId ?? null, agent?.agentType ?? null, now],
  };
}

/** One write; its last statement reads the stream as it is after it. */
export function renderAppend(
  streamId: string,
  entries: readonly StreamEntry[],
  now: number,
): Statement[] {
  const rows = firstOfEachKey(entries).map(({ chunk, dedupeKey }) => [
    JSON.stringify(chunk),
    dedupeKey ?? null,
  ]);
  return [
    renderCreate(streamId, null, now),
    ...groupRows(rows, 1).flatMap((group) => [
      'row' in group
        ? { sql: insertOne, params: [streamId, now, ...group.row] }
        : { sql: insertMany, params: [streamId, now, group.json] },
      { sql: moveHead, params: [streamId, now] },
    ]),
    renderReadInfo(streamId),
  ];
}

export function renderReadInfo(streamId: string): Statement {
  return { sql: readInfo, params: [streamId] };
}

export function renderReadWholeInfo(streamId: string): Statement {
  return { sql: readWholeInfo, params: [streamId] };
}

export function renderTrim(streamId: string, throughSequence: number): Statement {
  return { sql: trim, params: [streamId, throughSequence] };
}

export function renderDeleteStream(streamId: string, dialect: Dialect): Statement[] {
  const texts = dialect.writesInOneStatement
    ? [`with chunks as (${deleteChunks}) ${deleteStream}`]
    : [deleteChunks, deleteStream];
  return texts.map((sql) => ({ sql, params: [streamId] }));
}

export function renderReadPage(streamId: string, after: number, limit: number): Statement {
  return { sql: readPage, params: [streamId, after, limit] };
}

/** The same, and no chunk after the one that brings them to this many bytes. */
export function renderReadBoundedPage(
  streamId: string,
  after: number,
  limit: number,
  bytes: number,
): Statement {
  return { sql: readBoundedPage, params: [streamId, after, limit, bytes] };
}

export function decodeInfo(row: SqlRow | undefined): Omit<StreamInfo, 'chunkCount'> | null {
  if (row === undefined) return null;
  return { status: row['status'] as StreamStatus, head: Number(row['head']) };
}

export function decodeWholeInfo(row: SqlRow | undefined): StreamInfo | null {
  const info = decodeInfo(row);
  return info && { ...info, chunkCount: info.head - Number(row?.['first']) + 1 };
}

export function decodeChunk(row: SqlRow): StoredChunk {
  return {
    sequence: Number(row['sequence']),
    chunk: JSON.parse(row['chunk'] as string) as StoredChunk['chunk'],
  };
}

export function firstOfEachKey(entries: readonly StreamEntry[]): readonly StreamEntry[] {
  const seen = new Set<string>();
  return entries.filter(({ dedupeKey }) => {
    if (dedupeKey === undefined) return true;
    if (seen.has(dedupeKey)) return false;
    seen.add(dedupeKey);
    return true;
  });
}
