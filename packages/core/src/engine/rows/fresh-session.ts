import type { JsonObject, JsonValue } from '../../json.ts';
import type { SessionRow } from '../../store/rows.ts';
import type { SessionPlace } from '../../store/session-place.ts';
import type { EngineContext } from '../context.ts';

/** What a session begins with. */
export interface NewSession {
  readonly agentType: string;
  readonly customState: JsonValue;
  readonly userId?: string;
  readonly tags?: readonly string[];
  readonly metadata?: JsonObject;
}

/** The row of a session that is not stored yet: version 0, no run, the stream of its root. */
export function freshSession(
  ctx: { readonly identity: Pick<EngineContext['identity'], 'hostKind'> },
  place: SessionPlace,
  given: NewSession,
  now: number,
): SessionRow {
  return {
    ...place,
    parentStepId: null,
    parentIndex: null,
    agentType: given.agentType,
    streamId: place.rootId,
    version: 0,
    epoch: 0,
    records: 0,
    status: 'running',
    runId: '',
    turn: 0,
    started: false,
    hostKind: ctx.identity.hostKind,
    leaseOwner: null,
    leaseUntil: null,
    recoveries: 0,
    stepId: 1,
    stepCount: 0,
    stepMessage: null,
    messageCount: 0,
    customState: given.customState,
    output: null,
    error: null,
    failureReason: null,
    closed: false,
    lastCommit: '',
    resumeCount: 0,
    ends: 0,
    reported: null,
    wakeAt: null,
    stop: null,
    userId: given.userId ?? null,
    tags: given.tags ?? [],
    metadata: given.metadata ?? {},
    createdAt: now,
    updatedAt: now,
  };
}
