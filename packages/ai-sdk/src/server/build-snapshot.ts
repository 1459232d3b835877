import type { JsonValue, RunStatus, SessionRow } from '@helix-agents/core';
import { isToolPart, type ChatMessage, type ChatPart } from '../ui/messages.ts';
import type { ChatDependencies } from './dependencies.ts';
import { collectMessages, type MessagePiece } from './message-pieces.ts';
import { openCallIds } from './resume-if-answered.ts';
import { readReply, type StreamedReply } from './streamed-reply.ts';
import { isShownStep, transcriptPieces } from './transcript-messages.ts';
import { transcriptSteps } from './transcript-steps.ts';
import { findTurn, isShownUserMessage, readRoot, type NewestTurn } from './turn.ts';

/** A conversation at one moment: what a page begins with. */
export interface ChatSnapshot {
  readonly sessionId: string;
  readonly messages: readonly ChatMessage[];
  /** Custom state of the agent. */
  readonly state: JsonValue;
  /** Number of the last chunk that is in `messages`: reconnect after it. */
  readonly streamSequence: number;
  readonly status: RunStatus | 'empty';
  /** The assistant message of the newest turn. */
  readonly existingMessageId?: string;
  readonly timestamp: number;
}

/** A snapshot whose messages are read as they are taken. */
export interface SnapshotInPieces {
  readonly fields: Omit<ChatSnapshot, 'messages'>;
  readonly messages: AsyncIterable<MessagePiece>;
  /** To be called when nobody reads it any more. */
  readonly close: () => void;
}

/**
 * Messages, state and the stream's number that belong together. What was streamed and is not committed yet is in it too
 * (unless `contentReplayEnabled` is false), so that a refresh loses nothing.
 */
export async function buildSnapshot(
  deps: Omit<ChatDependencies, 'agent'>,
  sessionId: string,
): Promise<ChatSnapshot> {
  const session = await readRoot(deps, sessionId);
  const { fields, messages, close } = await beginSnapshot(deps, sessionId, session);
  try {
    return { ...fields, messages: await collectMessages(messages) };
  } finally {
    close();
  }
}

/** The same for a session whose row was read just now; null: there is none. */
export async function beginSnapshot(
  deps: Omit<ChatDependencies, 'agent'>,
  sessionId: string,
  session: SessionRow | null,
): Promise<SnapshotInPieces> {
  const timestamp = Date.now();
  if (!session) {
    const fields = { sessionId, state: {}, streamSequence: 0, status: 'empty', timestamp } as const;
    return { fields, messages: noMessages(), close: nothingHeld };
  }
  const turn = await findTurn(deps, session);
  const common = { sessionId, state: session.customState, status: session.status, timestamp };
  if (!turn) {
    const messages = transcriptPieces(deps.stateStore, sessionId);
    return { fields: { ...common, streamSequence: 0 }, messages, close: nothingHeld };
  }
  const reply = await readReply(deps, turn);
  try {
    const open = await openCallIds(deps, sessionId);
    const messages = (await isBehind(reply, deps, session, turn))
      ? transcriptPieces(deps.stateStore, sessionId)
      : endingWith(reply, deps, turn);
    return {
      fields: { ...common, streamSequence: reply.sequence, existingMessageId: turn.messageId },
      messages: withoutAnswered(messages, open),
      close: reply.release,
    };
  } catch (error) {
    reply.release();
    throw error;
  }
}

const nothingHeld = (): void => undefined;

async function* noMessages(): AsyncGenerator<MessagePiece> {}

/** A stream that was cleared or has expired says less than the transcript: then the transcript stands. */
async function isBehind(
  { isEmpty, steps, once }: StreamedReply,
  { stateStore }: Pick<ChatDependencies, 'stateStore'>,
  { version }: SessionRow,
  turn: NewestTurn,
): Promise<boolean> {
  if (isEmpty) return true;
  return (await once('stored', String(version), () => storedSteps(stateStore, turn))) > steps;
}

/** How many steps the transcript has of a turn; infinite when another one has begun meanwhile. */
async function storedSteps(
  stateStore: ChatDependencies['stateStore'],
  { sessionId, userPosition }: NewestTurn,
): Promise<number> {
  let stored = 0;
  const range = { from: userPosition + 1 };
  for await (const step of transcriptSteps(stateStore, sessionId, range)) {
    if (isShownUserMessage(step.message)) return Infinity;
    if (isShownStep(step)) stored += 1;
  }
  return stored;
}

async function* endingWith(
  reply: StreamedReply,
  { stateStore }: Pick<ChatDependencies, 'stateStore'>,
  { sessionId, userPosition, messageId }: NewestTurn,
): AsyncGenerator<MessagePiece> {
  yield* transcriptPieces(stateStore, sessionId, { to: userPosition + 1 });
  yield { head: { id: messageId, role: 'assistant' } };
  for await (const part of reply.parts()) yield { part };
}

/** Calls that somebody has answered, here or elsewhere, are not asked again while the answer is on its way. */
async function* withoutAnswered(
  pieces: AsyncIterable<MessagePiece>,
  open: ReadonlySet<string>,
): AsyncGenerator<MessagePiece> {
  for await (const piece of pieces)
    yield 'part' in piece ? { part: withoutQuestion(piece.part, open) } : piece;
}

function withoutQuestion(part: ChatPart, open: ReadonlySet<string>): ChatPart {
  if (!isToolPart(part) || part.providerExecuted || open.has(part.toolCallId)) return part;
  if (part.state !== 'approval-requested' && part.state !== 'input-available') return part;
  const { type, toolCallId, input, toolMetadata } = part;
  return {
    type,
    toolCallId,
    input,
    ...(toolMetadata && { toolMetadata }),
    state: 'input-available',
    providerExecuted: true,
  };
}
