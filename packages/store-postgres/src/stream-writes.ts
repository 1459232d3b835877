import type { StreamClose } from '@helix-agents/core/store';
import {
  closedColumns,
  firstOfEachKey,
  type SqlRow,
  type StreamWrites,
} from '@helix-agents/store-sql';
import type { ListParam } from './commit/params.ts';
import { isOfAll } from './errors.ts';
import { batchWrites } from './group-commit/batch-writes.ts';
import type { PgDriver } from './pg-driver.ts';

/** One entry each: `?3` stream, `?4` chunk (one line each), `?5` dedupe key, `?6` how many entries of its stream follow it. */
const entries = `unnest(?3::text[], string_to_array(?4::text, E'\\n'), ?5::text[], ?6::bigint[])
      as e (stream_id, chunk, dedupe_key, after)`;

/**
 * Appends to any number of streams: `?1` ids, `?2` time, `?7` entries of each, `?8` new status, `?9` output, `?10` error. Numbers are
 * taken from the stream's row: concurrent appends wait for its lock, and all lock rows in one order.
 */
const appendAs = (list: string, count: string): string => `stream as (
    insert into __agents_streams as s
      (stream_id, head, status, final_output, error, created_at, updated_at)
    select t.id, ${count}, t.status, t.final_output, t.error, ?2::bigint, ?2::bigint
    from unnest(?1::text[], ?7::bigint[], ?8::text[], ?9::text[], ?10::text[])
      as t (id, entries, status, final_output, error)
    on conflict (stream_id) do update
      set head = s.head + excluded.head, status = excluded.status,
        final_output = excluded.final_output, error = excluded.error, updated_at = excluded.updated_at
      where s.status = 'active'
    returning s.stream_id, s.head),
  chunks as (
    insert into __agents_stream_chunks (stream_id, sequence, chunk, dedupe_key, created_at)
    select e.stream_id, stream.head - e.after, e.chunk, e.dedupe_key, ?2::bigint
    from stream join ${list} on e.stream_id = stream.stream_id)
  select stream_id, head from stream`;

/** Fails, without writing, when a dedupe key is known. */
const appendNew = `with ${appendAs(entries, 't.entries')}`;

/**
 * Entries with a known key are left out and take no number. Each key is looked up in the index; `not exists` would build a hash of all
 * chunks.
 */
const appendUnknown = `with fresh as materialized (
    select e.stream_id, e.chunk, e.dedupe_key,
      row_number() over (partition by e.stream_id order by e.after) - 1 as after
    from ${entries}
    where (select 1 from __agents_stream_chunks as c
      where c.stream_id = e.stream_id and c.dedupe_key = e.dedupe_key) is null),
  ${appendAs('fresh as e', '(select count(*) from fresh as f where f.stream_id = t.id)')}`;

/** One `step_discarded` per agent and step beyond `?2` that has chunks after its last such marker. */
const discardSteps = `with late as materialized (
    select l.*, row_number() over (order by l.first) as place from (
      select c.chunk::jsonb ->> 'agentId' as agent_id, min(c.chunk::jsonb ->> 'agentType') as agent_type,
        (c.chunk::jsonb ->> 'step')::bigint as step, min(c.sequence) as first,
        max(case when c.chunk::jsonb ->> 'type' = 'step_discarded' then 0 else c.sequence end) as last_chunk,
        max(case when c.chunk::jsonb ->> 'type' = 'step_discarded' then c.sequence else 0 end) as last_marker
      from __agents_stream_chunks as c
      where c.stream_id = ?1 and (c.chunk::jsonb ->> 'step')::bigint > ?2::bigint
      group by 1, 3) as l
    where l.last_chunk > l.last_marker),
  stream as (
    update __agents_streams set head = head + (select count(*) from late), updated_at = ?3::bigint
    where stream_id = ?1 returning head)
  insert into __agents_stream_chunks (stream_id, sequence, chunk, created_at)
  select ?1::text, stream.head - (select count(*) from late) + late.place, json_build_object(
      'type', 'step_discarded', 'reason', 'cleanup', 'agentId', late.agent_id,
      'agentType', late.agent_type, 'step', late.step, 'timestamp', ?3::bigint)::text, ?3::bigint
  from stream, late`;

const resync = `with ends as materialized (
    select first.chunk::jsonb as first, last.chunk::jsonb as last
    from (select chunk from __agents_stream_chunks where stream_id = ?1
      order by sequence limit 1) as first,
      (select chunk from __agents_stream_chunks where stream_id = ?1
      order by sequence desc limit 1) as last),
  stream as (
    update __agents_streams set head = head + (select count(*) from ends), updated_at = ?2::bigint
    where stream_id = ?1 returning head)
  insert into __agents_stream_chunks (stream_id, sequence, chunk, created_at)
  select ?1::text, stream.head, json_build_object(
      'type', 'stream_resync', 'reason', 'reset', 'agentId', ends.first -> 'agentId',
      'agentType', ends.first -> 'agentType', 'step', ends.last -> 'step', 'timestamp', ?2::bigint)::text,
    ?2::bigint
  from stream, ends`;

/** A concurrent append may take a key; on a new snapshot it is known. */
const ATTEMPTS = 5;

interface Append {
  readonly streamId: string;
  /** JSON of the chunks, encoded when they were handed in. */
  readonly lines: readonly string[];
  readonly keys: readonly (string | null)[];
  readonly now: number;
  readonly how: StreamClose | undefined;
}

export function createPgStreamWrites(driver: PgDriver): StreamWrites {
  /** The first attempt uses `first`, which does not look for known keys: they are rare. */
  const write = async (
    sql: string,
    params: readonly ListParam[],
    first: string = sql,
  ): Promise<readonly SqlRow[]> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const [written] = await driver.batch([{ sql: attempt === 1 ? first : sql, params }]);
        return written?.rows ?? [];
      } catch (error) {
        if (attempt >= ATTEMPTS || !driver.isUniqueViolation(error)) throw error;
      }
    }
  };
  const appendTogether = batchWrites<Append, number | null>({
    keyOf: () => '',
    idOf: ({ streamId }) => streamId,
    sizeOf: ({ lines }) => lines.reduce((sum, line) => sum + line.length, 0),
    async send(appends) {
      const params = appendParams(appends.toSorted(byStream));
      const rows = await write(appendUnknown, params, appendNew);
      const heads = new Map(rows.map((row) => [row['stream_id'], Number(row['head'])]));
      return appends.map(({ streamId }) => heads.get(streamId) ?? null);
    },
    isOfAll,
  });
  return {
    append(streamId, said, now, how) {
      const list = firstOfEachKey(said);
      const lines = list.map(({ chunk }) => JSON.stringify(chunk));
      const keys = list.map(({ dedupeKey }) => dedupeKey ?? null);
      return appendTogether({ streamId, lines, keys, now, how });
    },
    async discardSteps(streamId, stepCount, now) {
      await write(discardSteps, [streamId, stepCount, now]);
    },
    async resync(streamId, now) {
      await write(resync, [streamId, now]);
    },
  };
}

const OPEN = ['active', null, null] as const;

function byStream(a: Append, b: Append): number {
  return a.streamId < b.streamId ? -1 : 1;
}

/** In the order in which the rows of streams are locked. */
function appendParams(appends: readonly Append[]): readonly ListParam[] {
  const after = appends.map(({ how }) => (how ? closedColumns(how) : OPEN));
  return [
    appends.map(({ streamId }) => streamId),
    Math.max(...appends.map(({ now }) => now)),
    appends.flatMap(({ streamId, keys }) => keys.map(() => streamId)),
    appends.flatMap(({ lines }) => lines).join('\n'),
    appends.flatMap(({ keys }) => keys),
    appends.flatMap(({ keys }) => keys.map((_, place) => keys.length - 1 - place)),
    appends.map(({ keys }) => keys.length),
    after.map(([status]) => status),
    after.map(([, output]) => output),
    after.map(([, , error]) => error),
  ];
}
