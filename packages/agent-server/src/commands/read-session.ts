import {
  editableInput,
  publicStatus,
  SessionNotFoundError,
  type OpenCallFilter,
  type OpenCallRow,
  type RunStatus,
  type SessionFilter,
  type SessionRow,
} from '@helix-agents/core';
import { rootRef } from '@helix-agents/core/store';
import type { ServerParts } from '../parts.ts';
import type {
  OpenCallsQuery,
  OpenCallView,
  SessionDetailQuery,
  SessionDetailView,
  SessionsQuery,
  SessionStatusView,
  SessionView,
  WirePage,
} from '../wire.ts';

/** Whether the caller may know of this session. */
export type Sees = (session: SessionRow) => boolean;

/** `SessionNotFoundError` when it is not there, and when it is not for the caller: the two look the same. */
export async function readSession(
  parts: ServerParts,
  sessionId: string,
  sees: Sees,
): Promise<SessionRow> {
  const session = await parts.store().sessions.readSession(rootRef(sessionId));
  if (!session || !sees(session)) throw new SessionNotFoundError(sessionId);
  return session;
}

const STATUS_CALLS = 100;

export async function readStatus(
  parts: ServerParts,
  sessionId: string,
  sees: Sees,
): Promise<SessionStatusView> {
  return statusOf(parts, await readSession(parts, sessionId, sees));
}

async function statusOf(parts: ServerParts, session: SessionRow): Promise<SessionStatusView> {
  const { index } = parts.store();
  const { items } = await index.listOpenCalls({
    rootSessionId: session.rootId,
    limit: STATUS_CALLS,
  });
  const info = await parts.streams().getStreamInfo?.(session.streamId);
  return {
    ...sessionView(session),
    awaitingClientTool: items.length > 0,
    openCalls: items.map(openCallView),
    streamSequence: info?.head ?? 0,
  };
}

const DEFAULT_MESSAGES = 50;

export async function readDetail(
  parts: ServerParts,
  sessionId: string,
  query: SessionDetailQuery,
  sees: Sees,
): Promise<SessionDetailView> {
  const store = parts.store();
  const session = await readSession(parts, sessionId, sees);
  const { messagesOffset: offset = 0, messagesLimit: limit = DEFAULT_MESSAGES } = query;
  const [status, messages, runs] = await Promise.all([
    statusOf(parts, session),
    store.getMessages(sessionId, { offset, limit }),
    store.sessions.readRuns(session),
  ]);
  return { ...status, state: session.customState, messages, runs };
}

const DEFAULT_LIMIT = 50;
const ACTIVE: readonly RunStatus[] = [
  'running',
  'suspended_client_tool',
  'suspended_awaiting_children',
  'suspended_step_partial',
];

export async function listSessions(
  parts: ServerParts,
  query: SessionsQuery,
): Promise<WirePage<SessionView>> {
  const { status, agentType, userId, tag, limit = DEFAULT_LIMIT, cursor } = query;
  const filter: SessionFilter = {
    limit,
    ...(status !== undefined && { status: status === 'active' ? ACTIVE : [status] }),
    ...(agentType !== undefined && { agentType }),
    ...(userId !== undefined && { userId }),
    ...(tag !== undefined && { tags: [tag] }),
    ...(cursor !== undefined && { cursor }),
  };
  const page = await parts.store().index.listSessions(filter);
  return { items: page.items.map(sessionView), cursor: page.cursor };
}

export async function listOpenCalls(
  parts: ServerParts,
  query: OpenCallsQuery,
): Promise<WirePage<OpenCallView>> {
  const { sessionId, userId, agentType, kind, toolName, dueBefore, cursor } = query;
  const filter: OpenCallFilter = {
    limit: query.limit ?? DEFAULT_LIMIT,
    ...(sessionId !== undefined && { rootSessionId: sessionId }),
    ...(userId !== undefined && { userId }),
    ...(agentType !== undefined && { agentType }),
    ...(kind !== undefined && { kind }),
    ...(toolName !== undefined && { toolName }),
    ...(dueBefore !== undefined && { dueBefore }),
    ...(cursor !== undefined && { cursor }),
  };
  const page = await parts.store().index.listOpenCalls(filter);
  return { items: page.items.map(openCallView), cursor: page.cursor };
}

export function sessionView(row: SessionRow): SessionView {
  const { sessionId, rootId, agentType, status, runId, streamId, turn, stepCount } = row;
  const { messageCount, userId, tags, metadata, output, error, createdAt, updatedAt } = row;
  return {
    sessionId,
    rootSessionId: rootId,
    agentType,
    status: publicStatus(status),
    runStatus: status,
    runId,
    streamId,
    turn,
    stepCount,
    messageCount,
    userId,
    tags,
    metadata,
    output,
    error,
    createdAt,
    updatedAt,
  };
}

function openCallView(row: OpenCallRow): OpenCallView {
  const { rootId, toolCallId, kind, toolName, input, approvalId, ownerAgentType } = row;
  const { ownerSessionId, userId, openedAt, deadlineAt } = row;
  const rawInput = editableInput(row);
  return {
    sessionId: rootId,
    toolCallId,
    kind,
    toolName,
    input,
    ...(rawInput !== input && { rawInput }),
    approvalId,
    agentType: ownerAgentType,
    ownerSessionId,
    userId,
    openedAt,
    deadlineAt,
  };
}
