import { freshSession } from '../engine/rows/fresh-session.ts';
import { commit } from '../engine/rows/write.ts';
import { SessionExistsError } from '../errors/session-errors.ts';
import { checkNewSessionId } from '../client/user-messages.ts';
import type { JsonObject } from '../json.ts';
import type { SessionRow } from '../store/rows.ts';
import type { FacadeContext } from './facade-context.ts';
import { MANUAL_HOST, type SessionState } from './session-state.ts';
import { stateView } from './state-view.ts';
import { plainData } from './plain-data.ts';
import { rootPlace } from '../store/session-place.ts';

export interface CreateSessionOptions {
  /** The agent that may execute it later. */
  readonly agentType?: string;
  readonly customState?: unknown;
  readonly userId?: string;
  readonly tags?: readonly string[];
  readonly metadata?: JsonObject;
}

/** Creates a root session without a run. Of several callers one creates it; the others get an error. */
export async function createSession(
  ctx: FacadeContext,
  sessionId: string,
  options: CreateSessionOptions,
): Promise<SessionState> {
  checkNewSessionId(sessionId);
  const now = ctx.now();
  const commitId = ctx.newId();
  const given = {
    agentType: options.agentType ?? '',
    customState: plainData(options.customState ?? {}, 'customState'),
    ...(options.userId !== undefined && { userId: options.userId }),
    ...(options.tags && { tags: plainData<readonly string[]>(options.tags, 'tags') }),
    ...(options.metadata && { metadata: plainData<JsonObject>(options.metadata, 'metadata') }),
  };
  const place = rootPlace(sessionId);
  const host = { identity: { hostKind: MANUAL_HOST } };
  const row: SessionRow = {
    ...freshSession(host, place, given, now),
    version: 1,
    lastCommit: commitId,
    started: true,
  };
  const created = await commit(ctx.sessions, place, {
    kind: 'create',
    rootId: sessionId,
    commitId,
    now,
    guard: { sessions: [{ sessionId, absent: true }] },
    insert: { sessions: [row] },
  });
  if (!created) throw new SessionExistsError(sessionId);
  return stateView(row, [], now);
}
