import type { StreamEntry } from '@helix-agents/core';
import { firstOfEachKey, type StreamWrites } from '@helix-agents/store-sql';
import type { PgDriver } from './pg-driver.ts';

/** Entries whose dedupe key is known burn no number. `?1` stream, `?2` time, `?3` chunks, `?4` keys. */
const fresh = `fresh as materialized (
    select e.chunk, e.dedupe_key, row_number() over (order by e.place) as place
    from unnest(?3::text[], ?4::text[]) with ordinality as e (chunk, dedupe_key, place)
    where e.dedupe_key is null or not exists (
      select 1 from __agents_stream_chunks as c
      where c.stream_id = ?1 and c.dedupe_key = e.dedupe_key))`;

/** The row of the stream gives the numbers: who comes second waits for it, and goes on from there. */
const append = `with ${fresh},
  stream as (
    insert into __agents_streams as s (stream_id, status, head, created_at, updated_at)
    select ?1::text, 'active', (select count(*) from fresh), ?2::bigint, ?2::bigint
    on conflict (stream_id) do update
      set head = s.head + excluded.head, updated_at = excluded.updated_at
      where s.status = 'active'
    returning s.head),
  chunks as (
    insert into __agents_stream_chunks (stream_id, sequence, chunk, dedupe_key, created_at)
    select ?1::text, stream.head - (select count(*) from fresh) + f.place, f.chunk, f.dedupe_key, ?2::bigint
    from stream, fresh as f)
  select head from stream`;

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

/** A key that somebody else took in the same moment: on a new snapshot it is known. */
const ATTEMPTS = 5;

export function createPgStreamWrites(driver: PgDriver): StreamWrites {
  const write = async (statement: Parameters<PgDriver['all']>[0]): Promise<number | null> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const [row] = await driver.all(statement);
        return row === undefined ? null : Number(row['head']);
      } catch (error) {
        if (attempt >= ATTEMPTS || !driver.isUniqueViolation(error)) throw error;
      }
    }
  };
  return {
    append(streamId, entries: readonly StreamEntry[], now) {
      const own = firstOfEachKey(entries);
      const chunks = own.map(({ chunk }) => JSON.stringify(chunk));
      const keys = own.map(({ dedupeKey }) => dedupeKey ?? null);
      return write({ sql: append, params: [streamId, now, chunks, keys] });
    },
    async discardSteps(streamId, stepCount, now) {
      await write({ sql: discardSteps, params: [streamId, stepCount, now] });
    },
    async resync(streamId, now) {
      await write({ sql: resync, params: [streamId, now] });
    },
  };
}
