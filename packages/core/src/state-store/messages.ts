import { messageRows } from '../engine/rows/session-rows.ts';
import { standingText } from '../engine/rows/step-view.ts';
import { InvalidRequestError } from '../errors/request-errors.ts';
import type { JsonValue } from '../json.ts';
import { toolMessageFrom } from '../messages/builders.ts';
import type { Message } from '../messages/message.ts';
import { StaleStateError } from '../errors/session-errors.ts';
import { requireOneOfEach, userMessageId } from '../store/message-id.ts';
import type { SessionRow } from '../store/rows.ts';
import type { StepRows } from '../store/session-store.ts';
import { MAX_MESSAGE_BYTES } from '../client/user-messages.ts';
import { plainData } from './plain-data.ts';
import { newestCheckpoint } from './checkpoints.ts';
import {
  changeSession,
  requireFree,
  requireSession,
  type FacadeContext,
} from './facade-context.ts';

export interface MessagesRange {
  readonly offset?: number;
  readonly limit?: number;
  /** False leaves the models' reasoning out. Default true. */
  readonly includeThinking?: boolean;
}

export interface MessagesPage {
  readonly messages: readonly Message[];
  readonly total: number;
  readonly hasMore: boolean;
}

/**
 * The transcript, and after it the results a step that waits for a person has so far, in call order. Those become
 * messages when the last call of the step is settled; until then the same place may still be filled by another one. After
 * the transcript of an interrupted session comes what its model was saying, marked `stopped`: it becomes a message if the
 * next thing is a message, and is withdrawn if it is a resume.
 */
export async function getMessages(
  ctx: FacadeContext,
  sessionId: string,
  range: MessagesRange,
): Promise<MessagesPage> {
  const { offset = 0, limit = Infinity, includeThinking = true } = range;
  checkRange({ offset, limit });
  const { session, results } = await readTranscript(ctx, sessionId);
  const total = session.messageCount + results.length;
  const stored = Math.min(limit, session.messageCount - offset);
  const rows =
    stored > 0 ? await ctx.sessions.readMessages(session, { after: offset, limit: stored }) : [];
  const fromResults = Math.max(0, offset - session.messageCount);
  const shown = results.slice(fromResults, fromResults + limit - Math.max(0, stored));
  const messages = [...rows.map((row) => row.message), ...shown];
  return {
    messages: includeThinking ? messages : messages.map(withoutThinking),
    total,
    hasMore: offset + messages.length < total,
  };
}

export async function appendMessages(
  ctx: FacadeContext,
  sessionId: string,
  given: readonly Message[],
): Promise<{ readonly newVersion: number; readonly messageCount: number }> {
  const messages = given.map((message, position) =>
    plainData<Message>(message, `messages.${position}`, MAX_MESSAGE_BYTES),
  );
  return changeSession(ctx, sessionId, async (session) => {
    await requireFree(ctx, session);
    await requireNewMessages(ctx, session, messages);
    const messageCount = session.messageCount + messages.length;
    return {
      parts: {
        set: { messageCount },
        insert: { messages: messageRows(session, messages, ctx.now()) },
      },
      result: { newVersion: session.version + 1, messageCount },
    };
  });
}

/** A session has at most one user message with an id. A second one is refused, so that its sender knows it was not stored. */
export async function requireNewMessages(
  ctx: FacadeContext,
  session: SessionRow,
  messages: readonly Message[],
): Promise<void> {
  requireOneOfEach(messages);
  for (const [position, message] of messages.entries()) {
    const id = userMessageId(message);
    if (id === undefined || !(await ctx.sessions.readMessage(session, id))) continue;
    const problem = `session ${session.sessionId} has a message ${id} already; leave it out, or give it another id`;
    throw new InvalidRequestError([{ path: `messages.${position}.id`, message: problem }]);
  }
}

/** Keeps the first `count` messages. */
export interface TruncateOptions {
  /** Custom state goes back as well: to that of the newest checkpoint that stays, or to this when none does. */
  readonly restoreState?: JsonValue;
  /** Only while the session is at this version; `StaleStateError` otherwise. */
  readonly version?: number;
}

export async function truncateMessages(
  ctx: FacadeContext,
  sessionId: string,
  count: number,
  { restoreState, version }: TruncateOptions,
): Promise<{ readonly newVersion: number; readonly messageCount: number }> {
  checkRange({ count });
  const restored = restoreState === undefined ? undefined : plainData(restoreState, 'restoreState');
  return changeSession(ctx, sessionId, async (session) => {
    if (version !== undefined && session.version !== version)
      throw new StaleStateError({ sessionId });
    await requireFree(ctx, session);
    const messageCount = Math.min(count, session.messageCount);
    const kept = await newestCheckpoint(ctx, session, (row) => row.messageCount <= messageCount);
    return {
      parts: {
        set: {
          messageCount,
          ...(restored !== undefined && { customState: kept?.customState ?? restored }),
        },
        remove: {
          messagesAfter: [{ sessionId, sequence: messageCount }],
          checkpointsAfter: [{ sessionId, version: kept?.version ?? 0 }],
        },
      },
      result: { newVersion: session.version + 1, messageCount },
    };
  });
}

async function readTranscript(
  ctx: FacadeContext,
  sessionId: string,
): Promise<{ readonly session: SessionRow; readonly results: readonly Message[] }> {
  const session = await requireSession(ctx, sessionId);
  if (session.stepMessage === null && session.status !== 'interrupted')
    return { session, results: [] };
  const rows = await ctx.sessions.readStep(session);
  return rows
    ? { session: rows.session, results: stoppedText(rows) ?? finishedResults(rows) }
    : { session, results: [] };
}

function stoppedText(rows: StepRows): readonly Message[] | null {
  const stopped = standingText(rows);
  return stopped && [stopped.message];
}

/** Results that stand in the records of a step whose assistant message is in the transcript already. */
function finishedResults({ session, journal }: StepRows): readonly Message[] {
  if (session.stepMessage === null) return [];
  const plan = journal.find((row) => row.kind === 'plan');
  return (plan?.data.calls ?? []).flatMap((call) => {
    const recorded = journal.find((row) => row.kind === 'result' && row.index === call.index);
    const result = recorded?.kind === 'result' ? recorded.data : call.result;
    return result ? [toolMessageFrom(call, result.outcome, result)] : [];
  });
}

function withoutThinking(message: Message): Message {
  if (message.role !== 'assistant') return message;
  const { thinking: _, ...rest } = message;
  return rest;
}

function checkRange(numbers: { readonly [name: string]: number }): void {
  const wrong = Object.entries(numbers).filter(
    ([, value]) => !(value >= 0 && (Number.isSafeInteger(value) || value === Infinity)),
  );
  if (wrong.length === 0) return;
  throw new InvalidRequestError(
    wrong.map(([path]) => ({ path, message: 'must be a whole number from 0' })),
  );
}
