import {
  editableInput,
  publicStatus,
  SessionNotFoundError,
  type Message,
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
  SessionSummary,
  SessionView,
  WirePage,
} from '../wire.ts';
import { readPage, type ReadRows } from './read-page.ts';

/** Whether the caller may know of this session. */
export type Sees = (session: SessionRow) => boolean;

/** `SessionNotFoundError` both when there is no such session and when the caller may not see it. */
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
  const query = { sessionId: session.rootId, limit: STATUS_CALLS };
  const { items } = await listOpenCalls(parts, query);
  const info = await parts.streams().getStreamInfo?.(session.streamId);
  return {
    ...sessionView(session),
    awaitingClientTool: items.length > 0,
    openCalls: items,
    streamSequence: info?.head ?? 0,
  };
}

const DEFAULT_MESSAGES = 50;
const DETAIL_RUNS = 100;

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
    readMessages(parts, sessionId, { offset, limit }),
    store.sessions.readRuns(session, { last: DETAIL_RUNS }),
  ]);
  return { ...status, state: session.customState, messages, runs };
}

/** A page of the transcript, which counts by offsets. */
async function readMessages(
  parts: ServerParts,
  sessionId: string,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<SessionDetailView['messages']> {
  const store = parts.store();
  let total = 0;
  const read: ReadRows<Message> = async ({ limit: most, cursor }) => {
    const from = Number(cursor ?? offset);
    const page = await store.getMessages(sessionId, { offset: from, limit: most });
    ({ total } = page);
    const next = String(from + page.messages.length);
    return { items: page.messages, cursor: page.hasMore ? next : null };
  };
  const { items, cursor } = await readPage(read, (message) => message, { limit });
  return { messages: items, total, hasMore: cursor !== null };
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
): Promise<WirePage<SessionSummary>> {
  const { status, agentType, userId, tag, limit = DEFAULT_LIMIT, cursor } = query;
  const filter: SessionFilter = {
    ...(status !== undefined && { status: status === 'active' ? ACTIVE : [status] }),
    ...(agentType !== undefined && { agentType }),
    ...(userId !== undefined && { userId }),
    ...(tag !== undefined && { tags: [tag] }),
  };
  const { index } = parts.store();
  return readPage((cut) => index.listSessions({ ...filter, ...cut }), sessionSummary, {
    limit,
    cursor,
  });
}

export async function listOpenCalls(
  parts: ServerParts,
  query: OpenCallsQuery,
): Promise<WirePage<OpenCallView>> {
  const { sessionId, userId, agentType, kind, toolName, dueBefore, cursor } = query;
  const filter: OpenCallFilter = {
    ...(sessionId !== undefined && { rootSessionId: sessionId }),
    ...(userId !== undefined && { userId }),
    ...(agentType !== undefined && { agentType }),
    ...(kind !== undefined && { kind }),
    ...(toolName !== undefined && { toolName }),
    ...(dueBefore !== undefined && { dueBefore }),
  };
  const { index } = parts.store();
  return readPage((cut) => index.listOpenCalls({ ...filter, ...cut }), openCallView, {
    limit: query.limit ?? DEFAULT_LIMIT,
    cursor,
  });
}

function sessionView(row: SessionRow): SessionView {
  return { ...sessionSummary(row), output: row.output };
}

export function sessionSummary(row: SessionRow): SessionSummary {
  const { sessionId, rootId, agentType, status, runId, streamId, turn, stepCount } = row;
  const { messageCount, userId, tags, metadata, error, createdAt, updatedAt } = row;
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
