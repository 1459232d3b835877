import type { JsonValue } from '@helix-agents/core';
import type { StreamClose } from '@helix-agents/core/store';
import type { Statement } from '../driver.ts';

/** Ended and failed are final until the next run reactivates the stream. */
const end = `update __agents_streams set status = 'ended', final_output = ?2, updated_at = ?3
  where stream_id = ?1 and status in ('active', 'paused')`;

const fail = `update __agents_streams set status = 'failed', error = ?2, updated_at = ?3
  where stream_id = ?1 and status in ('active', 'paused')`;

const pause = `update __agents_streams set status = 'paused', updated_at = ?2
  where stream_id = ?1 and status = 'active'`;

const reactivate = `update __agents_streams
  set status = 'active', final_output = null, error = null, updated_at = ?2
  where stream_id = ?1 and status <> 'active'`;

/** Clears the output and error of the former run. */
const open = `insert into __agents_streams as s
    (stream_id, status, head, agent_id, agent_type, created_at, updated_at)
  values (?1, 'active', 0, ?2, ?3, ?4, ?4)
  on conflict (stream_id) do update
    set status = 'active', final_output = null, error = null, updated_at = excluded.updated_at
    where s.status <> 'active'`;

const close = `update __agents_streams set status = ?2, final_output = ?3, error = ?4, updated_at = ?5
  where stream_id = ?1 and status = 'active'`;

/** The columns status, output and error of a stream that is closed this way. */
export function closedColumns(how: StreamClose): readonly [string, string | null, string | null] {
  const output = how.as === 'ended' && how.output !== undefined ? JSON.stringify(how.output) : null;
  return [how.as, output, how.as === 'failed' ? JSON.stringify(how.error) : null];
}

/** Of an active stream only. */
export function renderClose(streamId: string, how: StreamClose, now: number): Statement {
  return { sql: close, params: [streamId, ...closedColumns(how), now] };
}

export function renderOpen(
  streamId: string,
  agentId: string,
  agentType: string,
  now: number,
): Statement {
  return { sql: open, params: [streamId, agentId, agentType, now] };
}

export function renderEnd(streamId: string, output: JsonValue | undefined, now: number): Statement {
  const text = output === undefined ? null : JSON.stringify(output);
  return { sql: end, params: [streamId, text, now] };
}

export function renderFail(streamId: string, error: string, now: number): Statement {
  return { sql: fail, params: [streamId, JSON.stringify(error), now] };
}

export function renderPause(streamId: string, now: number): Statement {
  return { sql: pause, params: [streamId, now] };
}

export function renderReactivate(streamId: string, now: number): Statement {
  return { sql: reactivate, params: [streamId, now] };
}
