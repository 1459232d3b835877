import type { CommitPlan } from '@helix-agents/core/store';
import { closedColumns, firstOfEachKey } from '@helix-agents/store-sql';
import { bigint, text, type EncodedRow, type TypedColumn } from './params.ts';

/** What happens to an entry with a known dedupe key: the whole statement fails, or the entry is looked up and left out. */
export type KnownKeys = 'fail' | 'leave out';

/** A named part of the statement that writes to the stream of a plan. Later parts read earlier ones. */
export interface CarriedPart {
  readonly name: string;
  readonly columns: readonly TypedColumn[];
  readonly rows: readonly EncodedRow[];
  /** SQL with the rows as a table `e`; the condition `own` selects rows of plans whose guards hold. */
  readonly text: (rows: string, own: string) => string;
}

/** The stream write of a plan, encoded when the plan was handed in. */
export interface Carried {
  readonly stream: EncodedRow;
  readonly entries: readonly EncodedRow[];
}

/** Each row has the session of its plan, so that plans can share a statement. */
export function encodeCarried({ stream, now }: CommitPlan, sessionId: string): Carried | null {
  if (!stream) return null;
  const { streamId, agentId, agentType, close } = stream;
  const entries = firstOfEachKey(stream.entries);
  const after = close ? closedColumns(close) : OPEN;
  return {
    stream: [sessionId, streamId, agentId, agentType, now, ...after, entries.length],
    entries: entries.map(({ chunk, dedupeKey = null }, place) => {
      const later = entries.length - 1 - place;
      return [sessionId, streamId, later, JSON.stringify(chunk), dedupeKey, now];
    }),
  };
}

export function carriedParts(
  { stream, entries }: Carried,
  knownKeys: KnownKeys,
): readonly CarriedPart[] {
  const opened = { columns: streamColumns, rows: [stream] };
  if (entries.length === 0) return [{ ...opened, name: 'opened', text: putStream('0') }];
  const said = { columns: chunkColumns, rows: entries };
  if (knownKeys === 'fail') {
    return [
      { ...opened, name: 'said', text: putStream('e.entries') },
      { ...said, name: 'chunks', text: putChunks },
    ];
  }
  return [
    { ...said, name: 'fresh', text: freshEntries },
    { ...opened, name: 'said', text: putStream(countFresh) },
    { name: 'chunks', columns: [], rows: [], text: () => putChunks('fresh as e') },
  ];
}

const OPEN = ['active', null, null] as const;

const streamColumns: readonly TypedColumn[] = [
  text('session_id'),
  text('stream_id'),
  text('agent_id'),
  text('agent_type'),
  bigint('now'),
  text('status'),
  { name: 'final_output', type: 'json' },
  { name: 'error', type: 'json' },
  bigint('entries'),
];

/** `after` is how many entries of the same stream follow it. */
const chunkColumns: readonly TypedColumn[] = [
  text('session_id'),
  text('stream_id'),
  bigint('after'),
  { name: 'chunk', type: 'json' },
  text('dedupe_key'),
  bigint('now'),
];

/**
 * Entries with an unknown key, numbered from the last. Each key is looked up in the index, once, and only for plans whose guards hold;
 * `not exists` would build a hash of all chunks.
 */
function freshEntries(rows: string, own: string): string {
  return `with due as materialized (select e.* from gate, ${rows} where ${own})
    select e.stream_id, e.chunk, e.dedupe_key, e.now,
      row_number() over (partition by e.stream_id order by e.after) - 1 as after
    from due as e
    where (select 1 from __agents_stream_chunks as c
      where c.stream_id = e.stream_id and c.dedupe_key = e.dedupe_key) is null`;
}

const countFresh = '(select count(*) from fresh as f where f.stream_id = e.stream_id)';

/** Sets the status whatever it was: the commit proves that its run owns the stream. */
function putStream(count: string): CarriedPart['text'] {
  return (rows, own) => `insert into __agents_streams as s (stream_id, status, head, agent_id,
      agent_type, final_output, error, created_at, updated_at)
    select e.stream_id, e.status, ${count}, e.agent_id, e.agent_type, e.final_output, e.error, e.now, e.now
    from gate, ${rows} where ${own}
    on conflict (stream_id) do update
      set head = s.head + excluded.head, status = excluded.status,
        final_output = excluded.final_output, error = excluded.error, updated_at = excluded.updated_at
    returning s.stream_id, s.head`;
}

/** Inserts the chunks of the streams that were written. */
function putChunks(rows: string): string {
  return `insert into __agents_stream_chunks (stream_id, sequence, chunk, dedupe_key, created_at)
    select e.stream_id, said.head - e.after, e.chunk, e.dedupe_key, e.now
    from said, ${rows} where e.stream_id = said.stream_id`;
}
