import type { CommitPlan } from '@helix-agents/core';
import { firstOfEachKey } from '../../stream/first-of-each-key.ts';
import { closedColumns } from '../../stream/status-statements.ts';
import { bigint, text, type EncodedRow, type TypedColumn } from './params.ts';

/** A named part of the statement that writes what a plan says in its stream. Later ones look at earlier ones. */
export interface CarriedPart {
  readonly name: string;
  readonly columns: readonly TypedColumn[];
  readonly rows: readonly EncodedRow[];
  /** With the rows as a table `e`, those of which `own` holds belonging to a plan whose guards do. */
  readonly text: (rows: string, own: string) => string;
}

/** Rows name the session of their plan, by which they are found where several plans leave together. */
export function carriedWrites(
  { stream, now }: CommitPlan,
  sessionId: string,
): readonly CarriedPart[] {
  if (!stream) return [];
  const { streamId, agentId, agentType, entries, close } = stream;
  const after = close ? closedColumns(close) : OPEN;
  const isSilent = entries.length === 0;
  const opened: CarriedPart = {
    name: isSilent ? 'opened' : 'said',
    columns: streamColumns,
    rows: [[sessionId, streamId, agentId, agentType, now, ...after]],
    text: isSilent ? putStream('0') : putStream(countFresh),
  };
  if (isSilent) return [opened];
  const chunks = firstOfEachKey(entries).map(({ chunk, dedupeKey = null }, place) => {
    return [sessionId, streamId, place, JSON.stringify(chunk), dedupeKey, now];
  });
  return [
    { name: 'fresh', columns: chunkColumns, rows: chunks, text: freshEntries },
    opened,
    { name: 'chunks', columns: [], rows: [], text: () => putChunks },
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
];

const chunkColumns: readonly TypedColumn[] = [
  text('session_id'),
  text('stream_id'),
  bigint('place'),
  { name: 'chunk', type: 'json' },
  text('dedupe_key'),
  bigint('now'),
];

/** Entries whose key is not known, counted from the last. A key is looked up by itself, not in a hash of all chunks there are. */
function freshEntries(rows: string, own: string): string {
  return `select e.stream_id, e.chunk, e.dedupe_key, e.now,
      row_number() over (partition by e.stream_id order by e.place desc) - 1 as after
    from gate, ${rows}
    where ${own} and (select 1 from __agents_stream_chunks as c
      where c.stream_id = e.stream_id and c.dedupe_key = e.dedupe_key) is null`;
}

const countFresh = '(select count(*) from fresh as f where f.stream_id = e.stream_id)';

/** Whatever it was: its owner says what it is now. */
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

const putChunks = `insert into __agents_stream_chunks (stream_id, sequence, chunk, dedupe_key, created_at)
    select f.stream_id, said.head - f.after, f.chunk, f.dedupe_key, f.now
    from said join fresh as f on f.stream_id = said.stream_id`;
