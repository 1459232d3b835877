import type { Statement } from '../driver.ts';

/**
 * One `step_discarded` per agent and step beyond `?2` that has chunks after its last such marker.
 * Markers are written with any status: steps of an ended stream can be discarded too.
 */
const discardSteps = `insert into __agents_stream_chunks (stream_id, sequence, chunk, created_at)
  select ?1, s.head + row_number() over (order by late.first), json_object(
      'type', 'step_discarded', 'reason', 'cleanup', 'agentId', late.agent_id,
      'agentType', late.agent_type, 'step', late.step, 'timestamp', ?3), ?3
  from __agents_streams as s join (
    select chunk ->> 'agentId' as agent_id, chunk ->> 'agentType' as agent_type,
      chunk ->> 'step' as step, min(sequence) as first,
      max(iif(chunk ->> 'type' = 'step_discarded', 0, sequence)) as last_chunk,
      max(iif(chunk ->> 'type' = 'step_discarded', sequence, 0)) as last_marker
    from __agents_stream_chunks
    where stream_id = ?1 and chunk ->> 'step' > ?2
    group by chunk ->> 'agentId', chunk ->> 'step'
  ) as late on late.last_chunk > late.last_marker
  where s.stream_id = ?1`;

const resync = `insert into __agents_stream_chunks (stream_id, sequence, chunk, created_at)
  select ?1, s.head + 1, json_object(
      'type', 'stream_resync', 'reason', 'reset', 'agentId', first.chunk ->> 'agentId',
      'agentType', first.chunk ->> 'agentType', 'step', last.chunk ->> 'step', 'timestamp', ?2), ?2
  from __agents_streams as s
  join __agents_stream_chunks as first on first.stream_id = s.stream_id and first.sequence =
    (select min(c.sequence) from __agents_stream_chunks as c where c.stream_id = ?1)
  join __agents_stream_chunks as last on last.stream_id = s.stream_id and last.sequence = s.head
  where s.stream_id = ?1`;

const moveHead = `update __agents_streams set updated_at = ?2, head = max(head, coalesce(
    (select max(c.sequence) from __agents_stream_chunks as c where c.stream_id = ?1), 0))
  where stream_id = ?1`;

export function renderDiscardSteps(streamId: string, stepCount: number, now: number): Statement[] {
  return [
    { sql: discardSteps, params: [streamId, stepCount, now] },
    { sql: moveHead, params: [streamId, now] },
  ];
}

export function renderResync(streamId: string, now: number): Statement[] {
  return [
    { sql: resync, params: [streamId, now] },
    { sql: moveHead, params: [streamId, now] },
  ];
}
