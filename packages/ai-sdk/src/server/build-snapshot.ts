import type { JsonValue, RunStatus, SessionRow } from '@helix-agents/core';
import { isToolPart, type ChatMessage, type ChatPart } from '../ui/messages.ts';
import { isWithdrawnCall } from '../ui/withdrawn.ts';
import { ChatProjection } from './chat-projection.ts';
import type { ChatDependencies } from './dependencies.ts';
import { getUIMessages } from './get-ui-messages.ts';
import { isUnfinishedInput, ReducedMessage } from './reduce-chunks.ts';
import { openCallIds } from './resume-if-answered.ts';
import { holdIndex } from './shared-index.ts';
import { storedChunks } from './stored-chunks.ts';
import { findTurn, readRoot, type ChatTurn } from './turn.ts';

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

/**
 * Messages, state and the stream's number that belong together. What was streamed and is not committed yet is in it too
 * (unless `contentReplayEnabled` is false), so that a refresh loses nothing.
 */
export async function buildSnapshot(
  deps: Omit<ChatDependencies, 'agent'>,
  sessionId: string,
): Promise<ChatSnapshot> {
  return snapshotOf(deps, sessionId, await readRoot(deps, sessionId));
}

/** The same for a session whose row was read just now; null: there is none. */
export async function snapshotOf(
  deps: Omit<ChatDependencies, 'agent'>,
  sessionId: string,
  session: SessionRow | null,
): Promise<ChatSnapshot> {
  const timestamp = Date.now();
  if (!session) {
    return { sessionId, messages: [], state: {}, streamSequence: 0, status: 'empty', timestamp };
  }
  const { messages } = await getUIMessages(deps, sessionId);
  const turn = await findTurn(deps, session);
  const common = { sessionId, state: session.customState, status: session.status, timestamp };
  if (!turn) return { ...common, messages, streamSequence: 0 };
  const current = await readCurrent(deps, turn);
  const shown = withCurrent(messages, turn, current.parts);
  const open = await openCallIds(deps, sessionId);
  return {
    ...common,
    messages: shown.map((message) => withoutAnswered(message, open)),
    streamSequence: current.sequence,
    existingMessageId: turn.messageId,
  };
}

/** The newest assistant message as the stream has it. */
async function readCurrent(
  deps: Omit<ChatDependencies, 'agent'>,
  turn: ChatTurn,
): Promise<{ readonly parts: ChatPart[]; readonly sequence: number }> {
  const { index, update, release } = holdIndex(deps, turn);
  try {
    await update();
    const { first, head } = index;
    if (first === 0) return { parts: [], sequence: turn.startSequence };
    const committedOnly = deps.contentReplayEnabled === false;
    const { isHidden } = index.view({ seen: 0, head, committedOnly });
    const projection = new ChatProjection({ rootId: turn.sessionId, later: true });
    const message = new ReducedMessage();
    for await (const { sequence, chunk } of storedChunks(
      deps.streamManager,
      turn.streamId,
      first - 1,
    )) {
      if (sequence > head) break;
      message.add(projection.accept(chunk, isHidden(sequence)));
    }
    const parts = message.parts.filter(
      (part) => !isUnfinishedInput(part) && !isWithdrawnCall(part as { errorText?: string }),
    );
    return { parts, sequence: head };
  } finally {
    release();
  }
}

/** A stream that was cleared or has expired says less than the transcript: then the transcript stands. */
function withCurrent(
  messages: readonly ChatMessage[],
  { messageId, userMessageId }: ChatTurn,
  parts: ChatPart[],
): readonly ChatMessage[] {
  const at = messages.findLastIndex(({ id }) => id === messageId);
  const stored = messages[at];
  if (stored && steps(stored.parts) > steps(parts)) return messages;
  if (parts.length === 0) return messages;
  const message: ChatMessage = { id: messageId, role: 'assistant', parts };
  if (at !== -1) return messages.with(at, message);
  return messages.at(-1)?.id === userMessageId ? [...messages, message] : messages;
}

function steps(parts: readonly ChatPart[]): number {
  return parts.filter(({ type }) => type === 'step-start').length;
}

/** Calls that somebody has answered, here or elsewhere, are not asked again while the answer is on its way. */
function withoutAnswered(message: ChatMessage, open: ReadonlySet<string>): ChatMessage {
  const parts = message.parts.map((part): ChatPart => {
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
  });
  return { ...message, parts };
}
