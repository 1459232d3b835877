import { InvalidRequestError } from '../../errors/request-errors.ts';
import { toolMessageFrom } from '../../messages/builders.ts';
import type { Message } from '../../messages/message.ts';
import type { CheckpointRow, JournalRow, SessionRow } from '../../store/rows.ts';
import { failure } from '../rows/answer-result.ts';
import { freshSession } from '../rows/fresh-session.ts';
import type { EngineContext } from '../context.ts';
import { PIN_STEP } from '../rows/pins.ts';
import { messageRows } from '../rows/session-rows.ts';
import { findCheckpoint } from './time-travel.ts';
import { commit } from '../rows/write.ts';
import { userMessageId } from '../../store/message-id.ts';
import { rootPlace } from '../../store/session-place.ts';

/**
 * Copies a session up to a checkpoint into a new one: messages and state, no children, calls or stream. Calls that were
 * open there are closed in the copy as aborted. The branch is `interrupted`: resume goes on, execute adds a message.
 */
export async function branchSession(
  ctx: EngineContext,
  source: SessionRow,
  branchId: string,
  checkpointId: string | undefined,
): Promise<void> {
  const store = ctx.databases.of(source);
  const checkpoint =
    checkpointId === undefined
      ? (await store.readCheckpoints(source, { limit: 1 }))[0]
      : await findCheckpoint(store, source, checkpointId);
  if (!checkpoint) {
    const message = `session ${source.sessionId} has no checkpoint yet: its first step is not committed`;
    throw new InvalidRequestError([{ path: 'checkpointId', message }]);
  }
  const rows = await store.readMessages(source, { limit: checkpoint.messageCount });
  const messages = closeHalfStep(oneOfEach(rows.map((row) => row.message)));
  // Its prompts begin with the same bytes.
  const pinned = (await store.readJournal(source, PIN_STEP)).map((row) => ({
    ...row,
    sessionId: branchId,
  }));
  await writeBranch(ctx, source, branchId, { checkpoint, messages, pinned });
}

/** What a branch is made of. */
interface Copied {
  readonly checkpoint: CheckpointRow;
  readonly messages: readonly Message[];
  readonly pinned: readonly JournalRow[];
}

async function writeBranch(
  ctx: EngineContext,
  source: SessionRow,
  sessionId: string,
  { checkpoint, messages, pinned }: Copied,
): Promise<void> {
  const now = ctx.clock.now();
  const commitId = ctx.newId();
  const place = rootPlace(sessionId);
  const { agentType, tags } = source;
  const metadata = {
    ...source.metadata,
    branchedFrom: source.sessionId,
    checkpointId: checkpoint.checkpointId,
  };
  const given = { agentType, customState: checkpoint.customState, tags, metadata };
  const fresh = freshSession(ctx, place, given, now);
  const row: SessionRow = {
    ...fresh,
    version: 1,
    lastCommit: commitId,
    status: 'interrupted',
    userId: source.userId,
    stepId: checkpoint.stepId + 1,
    stepCount: checkpoint.stepCount,
    messageCount: messages.length,
  };
  const written = await commit(ctx.databases.of(place), place, {
    kind: 'create',
    rootId: sessionId,
    commitId,
    now,
    guard: { sessions: [{ sessionId, absent: true }] },
    insert: { sessions: [row], messages: messageRows(fresh, messages, now), journal: pinned },
  });
  if (written) return;
  const message = `session ${sessionId} exists already; choose another id for the branch`;
  throw new InvalidRequestError([{ path: 'sessionId', message }]);
}

/** Earlier releases stored a message that was sent twice at once twice, under one id: the copy has it once. */
function oneOfEach(messages: readonly Message[]): readonly Message[] {
  const seen = new Set<string>();
  return messages.map((message) => {
    const id = userMessageId(message);
    if (message.role !== 'user' || id === undefined) return message;
    if (!seen.has(id)) {
      seen.add(id);
      return message;
    }
    const { id: _, ...rest } = message;
    return rest;
  });
}

/** A transcript that ends with unanswered calls gets an aborted result for each. */
function closeHalfStep(messages: readonly Message[]): Message[] {
  const last = messages.at(-1);
  if (last?.role !== 'assistant' || !last.toolCalls?.length) return [...messages];
  const { outcome } = failure('aborted', 'The session was branched before this call had a result.');
  return [...messages, ...last.toolCalls.map((call) => toolMessageFrom(call, outcome))];
}
