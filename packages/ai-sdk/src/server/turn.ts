import {
  NotRootSessionError,
  SessionNotFoundError,
  type Message,
  type RunRow,
  type SessionRow,
} from '@helix-agents/core';
import { isRoot, readTurnRuns, rootRef, type SessionRef } from '@helix-agents/core/store';
import type { ChatDependencies } from './dependencies.ts';

/** A turn of a session: a user message and all that was said until the next one. */
export interface ChatTurn {
  readonly sessionId: string;
  readonly streamId: string;
  /** Of the assistant message that answers it, the same for every request until the next user message. */
  readonly messageId: string;
  readonly userMessageId: string;
  /** The runs it took so far: the one that began it, then resumes and retries. */
  readonly runIds: ReadonlySet<string>;
  /** Number of the stream's last chunk before it, or an older one. */
  readonly startSequence: number;
}

/**
 * Null when there is no such session. A sub-agent's is shown in its root's conversation, not by itself. `known`: the row,
 * where the caller has read it for this request.
 */
export async function readRoot(
  { stateStore }: Pick<ChatDependencies, 'stateStore'>,
  sessionId: string,
  known?: SessionRow | null,
): Promise<SessionRow | null> {
  const session =
    known === undefined ? await stateStore.sessions.readSession(rootRef(sessionId)) : known;
  if (!session || isRoot(session)) return session;
  throw new NotRootSessionError(sessionId, session.rootId);
}

/** The row decides, whatever was checked before: the session of another user is not found. */
export function assertOwner(
  session: SessionRow,
  {
    userId,
    access,
  }: { readonly userId?: string | undefined; readonly access?: string | undefined },
): void {
  if (userId === undefined || access === 'all' || session.userId === userId) return;
  throw new SessionNotFoundError(session.sessionId);
}

/** The newest turn of a session as its row was read. */
export interface NewestTurn extends ChatTurn {
  /** Where its user message is in the transcript, from 0. */
  readonly userPosition: number;
}

/** The newest turn. Null when nothing was ever asked. */
export async function findTurn(
  { stateStore }: Pick<ChatDependencies, 'stateStore'>,
  session: SessionRow,
): Promise<NewestTurn | null> {
  const [runs, user] = await Promise.all([
    readTurnRuns(stateStore.sessions, session),
    findUserMessage(stateStore, session),
  ]);
  const turn = user && turnOver(session, user.id, runs);
  return turn && { ...turn, userPosition: user.position };
}

/** The turn that a message has begun, which need not be the newest. */
export async function findTurnOf(
  { stateStore: { sessions } }: Pick<ChatDependencies, 'stateStore'>,
  session: Pick<SessionRow, 'rootId' | 'sessionId' | 'streamId'>,
  messageId: string,
): Promise<ChatTurn | null> {
  const row = await sessions.readMessage(session, messageId);
  return row && turnOver(session, messageId, await readTurnRuns(sessions, session, row));
}

function turnOver(
  { sessionId, streamId }: Pick<SessionRow, 'sessionId' | 'streamId'>,
  userMessageId: string,
  runs: readonly RunRow[],
): ChatTurn | null {
  const [began] = runs;
  if (!began) return null;
  return {
    sessionId,
    streamId,
    messageId: replyId(userMessageId),
    userMessageId,
    runIds: new Set(runs.map((run) => run.runId)),
    startSequence: began.startSequence,
  };
}

const FEW_RUNS = 8;

/** The newest run that is as wanted and those after it. A session may have had thousands before. */
export async function newestRuns(
  { sessions }: ChatDependencies['stateStore'],
  ref: SessionRef,
  wanted: (run: RunRow) => boolean,
): Promise<readonly RunRow[]> {
  for (let last = FEW_RUNS; ; last *= 4) {
    const runs = await sessions.readRuns(ref, { last });
    const found = runs.findLastIndex(wanted);
    if (found !== -1) return runs.slice(found);
    if (runs.length < last) return [];
  }
}

export function replyId(userMessageId: string): string {
  return `reply-${userMessageId}`;
}

/** What a person wrote and sees; what was put into the transcript for the model is neither. */
export function isShownUserMessage(message: Message): boolean {
  return message.role === 'user' && message.metadata?.['hidden'] !== true;
}

/** Position counts from 0. */
export function userMessageId(message: Message, position: number): string {
  return (message.role === 'user' ? message.id : undefined) ?? `message-${position}`;
}

export interface FoundUserMessage {
  readonly id: string;
  readonly position: number;
}

/** Messages may be large: few are read at a time. */
const FEW_MESSAGES = 4;
const MOST_MESSAGES = 16;

/** The newest one that is wanted, searched from the end: its cost does not grow with the conversation. */
export async function findUserMessage(
  { sessions }: ChatDependencies['stateStore'],
  session: SessionRow,
  wanted: (message: Message, position: number) => boolean = () => true,
): Promise<FoundUserMessage | null> {
  let size = FEW_MESSAGES;
  for (let end = session.messageCount; end > 0;) {
    const offset = Math.max(0, end - size);
    const range = { after: offset, limit: end - offset };
    const messages = (await sessions.readMessages(session, range)).map((row) => row.message);
    const index = messages.findLastIndex(
      (one, at) => isShownUserMessage(one) && wanted(one, offset + at),
    );
    const message = messages[index];
    if (message) return { id: userMessageId(message, offset + index), position: offset + index };
    end = offset;
    size = Math.min(2 * size, MOST_MESSAGES);
  }
  return null;
}
