import { checkpointRow, messageRows } from '../engine/rows/session-rows.ts';
import { commitSurely } from '../engine/rows/write.ts';
import { SessionNotFoundError, StaleStateError } from '../errors/session-errors.ts';
import type { JsonValue } from '../json.ts';
import type { Message } from '../messages/message.ts';
import { applyWrites } from '../state/apply-writes.ts';
import type { StateWrite } from '../state/state-write.ts';
import type { JsonPatch } from '../stream/chunks.ts';
import type { JournalRow, SessionRow } from '../store/rows.ts';
import type { StepRows } from '../store/session-store.ts';
import {
  commitOn,
  requireFree,
  requireSession,
  type FacadeContext,
  type PlanParts,
} from './facade-context.ts';
import { requireNewMessages } from './messages.ts';
import { patchWrites } from './patch-writes.ts';
import { fieldsToSave, type SavedState, type ViewsHandedOut } from './save-state.ts';

/** What one call of a loop driven by hand changes. Staged once per call id; the first one stands. */
export interface StagedChanges {
  readonly toolCallId: string;
  /** RFC 6902 over the committed custom state. */
  readonly patches?: readonly JsonPatch[];
  /** What `ImmerStateTracker.getStepWrites()` says; applied after `patches`. */
  readonly writes?: readonly StateWrite[];
  readonly timestamp?: number;
}

export interface PromoteOptions {
  readonly stepId: number;
  /** Appended in the same write. */
  readonly messages?: readonly Message[];
}

export interface Promoted {
  readonly newVersion: number;
  readonly checkpointId: string;
}

/** Staged rows stand below the plan's -1, where no call of an engine's step has its place. */
const FIRST_INDEX = -2;

type StagedRow = Extract<JournalRow, { kind: 'result' }>;

export async function stageChanges(
  ctx: FacadeContext,
  sessionId: string,
  stepId: number,
  changes: StagedChanges,
): Promise<void> {
  for (;;) {
    const { session, journal } = await readOwnStep(ctx, sessionId, stepId);
    const staged = stagedRows(journal);
    if (staged.some((row) => callOf(row) === changes.toolCallId)) return;
    const index = FIRST_INDEX - staged.length;
    const written = await record(ctx, session, {
      sessionId,
      stepId,
      index,
      kind: 'result',
      data: resultOf(session.customState, changes),
      createdAt: changes.timestamp ?? ctx.now(),
    });
    if (written) return;
  }
}

/** Throws the staged changes of this step away. */
export async function discardStaging(
  ctx: FacadeContext,
  sessionId: string,
  stepId: number,
): Promise<void> {
  for (;;) {
    const { session } = await readOwnStep(ctx, sessionId, stepId);
    const parts: PlanParts = { remove: { journal: [{ sessionId, stepId }] }, withRecords: true };
    if (await commitOn(ctx, session, parts)) return;
  }
}

/** Makes the staged changes the committed state: one write with a checkpoint, and the step is over. */
export async function promoteStaging(
  ctx: FacadeContext,
  sessionId: string,
  { stepId, messages = [] }: PromoteOptions,
): Promise<Promoted> {
  for (;;) {
    const rows = await readOwnStep(ctx, sessionId, stepId);
    await requireNewMessages(ctx, rows.session, messages);
    const { parts, promoted } = promotion(ctx, rows, {}, messages);
    if (await commitOn(ctx, rows.session, parts)) return promoted;
  }
}

/** The same in one write with a save; staged changes apply over the custom state that is saved. */
export async function saveStateAndPromoteStaging(
  ctx: FacadeContext,
  views: ViewsHandedOut,
  sessionId: string,
  state: SavedState,
  { stepId, messages = [] }: PromoteOptions,
): Promise<Promoted> {
  const rows = await readOwnStep(ctx, sessionId, stepId);
  const set = await fieldsToSave(ctx, views, rows.session, state);
  await requireNewMessages(ctx, rows.session, messages);
  const { parts, promoted } = promotion(ctx, rows, set, messages);
  if (!(await commitOn(ctx, rows.session, parts))) throw new StaleStateError({ sessionId });
  return promoted;
}

/** The step in progress, if it is this one and no engine's. */
async function readOwnStep(
  ctx: FacadeContext,
  sessionId: string,
  stepId: number,
): Promise<StepRows> {
  const rows = await ctx.sessions.readStep(await requireSession(ctx, sessionId));
  if (!rows) throw new SessionNotFoundError(sessionId);
  await requireFree(ctx, rows.session);
  const isEngines = rows.journal.some((row) => row.kind === 'plan');
  if (isEngines || rows.session.stepId !== stepId) throw new StaleStateError({ sessionId });
  return rows;
}

function promotion(
  ctx: FacadeContext,
  { session, journal }: StepRows,
  saved: NonNullable<PlanParts['set']>,
  messages: readonly Message[],
): { readonly parts: PlanParts; readonly promoted: Promoted } {
  const { sessionId, stepId, stepCount, status } = session;
  const now = ctx.now();
  const writes = stagedRows(journal).flatMap((row) => row.data.writes ?? []);
  const customState = applyWrites(saved.customState ?? session.customState, writes);
  const messageCount = session.messageCount + messages.length;
  const newVersion = session.version + 1;
  const checkpoint = checkpointRow({
    session,
    version: newVersion,
    stepCount,
    status,
    messageCount,
    customState,
    streamSequence: 0,
    now,
    suffix: ctx.newId().slice(-6),
  });
  return {
    promoted: { newVersion, checkpointId: checkpoint.checkpointId },
    parts: {
      set: { ...saved, customState, messageCount, stepId: stepId + 1 },
      insert: { messages: messageRows(session, messages, now), checkpoints: [checkpoint] },
      remove: { journal: [{ sessionId, stepId }] },
      withRecords: true,
    },
  };
}

/** In the order they were staged. */
function stagedRows(journal: readonly JournalRow[]): StagedRow[] {
  return journal
    .filter((row): row is StagedRow => row.kind === 'result' && row.index <= FIRST_INDEX)
    .toSorted((a, b) => b.index - a.index);
}

function callOf(row: StagedRow): JsonValue | undefined {
  const { outcome } = row.data;
  return outcome.success ? outcome.value : undefined;
}

function resultOf(base: JsonValue, changes: StagedChanges): StagedRow['data'] {
  const { toolCallId, patches = [], writes = [] } = changes;
  return {
    outcome: { success: true, value: toolCallId },
    writes: [...patchWrites(base, patches), ...writes],
  };
}

/** Like a record of the engine: leaves the version alone and raises `records`. */
async function record(ctx: FacadeContext, session: SessionRow, row: JournalRow): Promise<boolean> {
  const { rootId, sessionId, epoch, stepId, records } = session;
  const plan = {
    kind: 'record' as const,
    rootId,
    commitId: ctx.newId(),
    now: ctx.now(),
    guard: { sessions: [{ sessionId, epoch, stepId, records }] },
    sessions: [{ sessionId, raise: { records: true as const } }],
    insert: { journal: [row] },
  };
  // A lost reply is settled by reading: the caller looks for its call id before it tries again.
  return commitSurely(ctx.sessions, plan, async () => false);
}
