import type { JsonValue } from '@helix-agents/core';
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
