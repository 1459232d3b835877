import { sameJson } from '../util/same-json.ts';
import type { OpenCallRow, SessionRow } from './rows.ts';
import type { OpenCallFilter, SessionFilter } from './session-store.ts';

/** For stores that look at rows one by one: whether a listing with this filter shows the session. */
export function sessionFits(row: SessionRow, filter: SessionFilter): boolean {
  return (
    (filter.rootsOnly === false || row.sessionId === row.rootId) &&
    (filter.status === undefined || filter.status.includes(row.status)) &&
    (filter.agentType === undefined || filter.agentType === row.agentType) &&
    (filter.userId === undefined || filter.userId === row.userId) &&
    (filter.tags ?? []).every((tag) => row.tags.includes(tag)) &&
    Object.entries(filter.metadata ?? {}).every(
      ([key, value]) =>
        value === undefined ||
        (Object.hasOwn(row.metadata, key) && sameJson(row.metadata[key], value)),
    )
  );
}

/** Whether a listing with this filter shows the call. */
export function callFits(row: OpenCallRow, filter: OpenCallFilter): boolean {
  return (
    row.state === 'open' &&
    (filter.rootSessionId === undefined || filter.rootSessionId === row.rootId) &&
    (filter.userId === undefined || filter.userId === row.userId) &&
    (filter.agentType === undefined || filter.agentType === row.ownerAgentType) &&
    (filter.kind === undefined || filter.kind === row.kind) &&
    (filter.toolName === undefined || filter.toolName === row.toolName) &&
    (filter.dueBefore === undefined ||
      (row.deadlineAt !== null && row.deadlineAt < filter.dueBefore))
  );
}
