import type { StoredChunk } from '@helix-agents/core';
import type { StreamInfo, StreamStatus } from '@helix-agents/core/store';
import type { StreamEntry } from '@helix-agents/core/store';
import type { Dialect } from '../dialect.ts';
import type { SqlRow, Statement } from '../driver.ts';

const createStream = `insert into __agents_streams
    (stream_id, status, head, agent_id, agent_type, created_at, updated_at)
  values (?1, 'active', 0, ?2, ?3, ?4, ?4) on conflict (stream_id) do nothing`;

const lastSequence = `coalesce((select max(sequence) from __agents_stream_chunks where stream_id = ?1), 0)`;

/** An entry with a known dedupe key takes no number. The head is updated after the last entry. */
const insertEntry = `insert into __agents_stream_chunks
    (stream_id, sequence, chunk, dedupe_key, created_at)
  select stream_id, 1 + max(head, ${lastSequence}), ?3, ?4, ?2 from __agents_streams
  where stream_id = ?1 and status = 'active'
  on conflict (stream_id, dedupe_key) where dedupe_key is not null do nothing`;

const moveHead = `update __agents_streams set updated_at = ?2, head = max(head, ${lastSequence})
  where stream_id = ?1 and status = 'active'`;

const readInfo = `select status, head from __agents_streams where stream_id = ?1`;

/** Numbers have no gaps, so the first one tells how many chunks there are. */
const readWholeInfo = `select s.status, s.head, coalesce((select min(c.sequence)
    from __agents_stream_chunks as c where c.stream_id = ?1), s.head + 1) as first
  from __agents_streams as s where s.stream_id = ?1`;

const trim = `delete from __agents_stream_chunks where stream_id = ?1 and sequence <= ?2`;

const deleteChunks = `delete from __agents_stream_chunks where stream_id = ?1`;
const deleteStream = `delete from __agents_streams where stream_id = ?1`;
const deleteOrphans = `${deleteChunks}
    and not exists (select 1 from __agents_streams where stream_id = ?1)`;

const readPage = `select sequence, chunk from __agents_stream_chunks
  where stream_id = ?1 and sequence > ?2 order by sequence limit ?3`;

/** Ends with the chunk that reaches `?4` bytes. */
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

/** One write, whose last statement reads the resulting stream. */
export function renderAppend(
  streamId: string,
  entries: readonly StreamEntry[],
  now: number,
  create: boolean,
): Statement[] {
  return [
    ...(create ? [renderCreate(streamId, null, now)] : []),
    ...renderEntries(streamId, entries, now),
    renderReadInfo(streamId),
  ];
}

/** Of an active stream only. */
export function renderEntries(
  streamId: string,
  entries: readonly StreamEntry[],
  now: number,
): Statement[] {
  if (entries.length === 0) return [];
  return [
    ...entries.map(({ chunk, dedupeKey = null }) => ({
      sql: insertEntry,
      params: [streamId, now, JSON.stringify(chunk), dedupeKey],
    })),
    { sql: moveHead, params: [streamId, now] },
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

/** Chunks of a stream that is not there. */
export function renderDeleteOrphans(streamId: string): Statement {
  return { sql: deleteOrphans, params: [streamId] };
}

export function renderReadPage(streamId: string, after: number, limit: number): Statement {
  return { sql: readPage, params: [streamId, after, limit] };
}

/** The same, ending with the chunk that reaches this many bytes. */
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
