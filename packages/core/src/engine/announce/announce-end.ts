import { categoryOfCode, isRetryableCode } from '../../errors/codes.ts';
import type { OpenCallRow, SessionRef, SessionRow } from '../../store/rows.ts';
import type { SessionStore } from '../../store/session-store.ts';
import type { StreamWrite } from '../../stream/in-one-database.ts';
import type { StreamClose, StreamEntry, StreamInfo } from '../../stream/stream-manager.ts';
import type { LoopRun } from '../../loop/host.ts';
import { askEntry, entry, speakerOf, stoppedEntry, withdrawEntry } from './chunk-entries.ts';
import type { EngineContext } from '../context.ts';
import { unannouncedChunksOfRun } from './unannounced-chunks.ts';
import type { StreamState } from './stream-status.ts';
import { isSuspended, isTerminal } from '../rows/session-status.ts';
import { readStepView, standingText } from '../rows/step-view.ts';
import { isRoot } from '../../store/session-place.ts';
import { RUN_FAILED } from '../../errors/coded-error.ts';

/**
 * The end of a root's run in its stream: the calls that are open, the chunks of the end, the stream closed as the session is.
 *
 * Owns: what these chunks are (`endEntriesOf`, `streamClose`), and that a stream comes to show them.
 * Does not own: the commit that ends a run, and the chunks that it makes true before the end.
 *
 * I1 All is derived from the session's row and its open calls, so any process may announce an end, any number of times:
 *    each chunk has a key.
 * I2 A commit of `settle` that completes, fails or suspends a run carries its end where stream and session share a database and
 *    no hook runs in between (`carriedEnd`). Else the run's `end` announces it, after the hooks.
 * I3 An owner that died before that leaves an open stream. The next process that claims, attaches or interrupts announces the
 *    missing end first (`announceMissedEnd`).
 */

/**
 * Brings the root's stream in line with its session: open calls and the end of the run announced once, the stream
 * closed. Reads only the store, so any process may call it: the one that ended the run, or one that attaches after a crash.
 * `epoch` is the one that the caller knows the run to have ended in. False when the root is no longer in that state. The stream
 * of a root that was deleted goes with it.
 */
export async function announceEnd(
  ctx: EngineContext,
  ref: SessionRef,
  epoch: number,
): Promise<boolean> {
  const session = await ctx.databases.of(ref).readSession(ref);
  if (!session && isRoot(ref)) await ctx.announcer.dropDeleted(ref.rootId);
  if (!session || !isRoot(session) || session.status === 'running') return false;
  // Ended by another owner, which may not have announced all of it yet.
  if (session.epoch !== epoch) {
    await announceMissedEnd(ctx, session);
    return false;
  }
  const info = await ctx.announcer.info(session.streamId);
  if (info && !hasMore(info, session)) return true;
  if (info?.status === 'paused') await ctx.announcer.open(session.streamId);
  await announceOwnEnd(ctx, session);
  return true;
}

/** Announces the end by the run that has just ended: its stream is open. `openCalls`: where the caller knows them. */
export async function announceOwnEnd(
  ctx: EngineContext,
  session: SessionRow,
  openCalls?: readonly OpenCallRow[],
): Promise<void> {
  if (!isRoot(session) || session.status === 'running') return;
  const calls = openCalls ?? (await readOpenCalls(ctx, session));
  const entries = [
    ...(await entriesOfUnanswered(ctx, session)),
    ...endEntriesOf(session, calls, ctx.clock.now()),
  ];
  await ctx.announcer.finish(session.streamId, entries, streamClose(session));
}

/** What became of a step that the run left without an answer: it is withdrawn, or the text of a stopped model stays. */
async function entriesOfUnanswered(
  ctx: EngineContext,
  session: SessionRow,
): Promise<StreamEntry[]> {
  if (session.status !== 'interrupted' && session.status !== 'failed') return [];
  const view = await readStepView(ctx, session);
  if (!view) return [];
  const now = ctx.clock.now();
  const stopped = standingText(view);
  return [
    ...view.withdrawn.map((left) => withdrawEntry(session, left, now)),
    ...(stopped ? [stoppedEntry(session, stopped, now)] : []),
  ];
}

/** The end of the run as part of the commit that ends it, after the other chunks of that commit. */
export function carriedEnd(
  session: SessionRow,
  openCalls: readonly OpenCallRow[],
  entries: readonly StreamEntry[],
  now: number,
): StreamWrite {
  return {
    ...carriedOpening(session),
    entries: [...entries, ...endEntriesOf(session, openCalls, now)],
    close: streamClose(session),
  };
}

/** Whether commits to this store carry the chunks they make true into the stream. */
export function carriesStream(ctx: EngineContext, store: SessionStore): boolean {
  return ctx.memory !== null && ctx.announcer.isCarriedBy(store);
}

/** Opens the stream of a root, as part of a commit. */
export function carriedOpening({ streamId, sessionId, agentType }: SessionRow): StreamWrite {
  return { streamId, agentId: sessionId, agentType, entries: [] };
}

function endEntriesOf(
  session: SessionRow,
  openCalls: readonly OpenCallRow[],
  now: number,
): StreamEntry[] {
  return [
    ...openCalls.map((row) => askEntry(row, now)),
    ...endOfRunEntries(session, openCalls, now),
  ];
}

/** The calls of the root that wait for a person; a session that is not suspended has none. */
export async function readOpenCalls(
  ctx: EngineContext,
  session: SessionRow,
): Promise<readonly OpenCallRow[]> {
  if (!isSuspended(session)) return [];
  const calls = await ctx.databases.of(session).readCalls(session.rootId);
  return calls.filter((row) => row.state === 'open');
}

/**
 * Announces what is missing of a run that another process may have ended, before a new run begins or when a client attaches: its
 * owner may have died between its last commit and its last chunk. Costs one read of the stream's status when nothing is missing;
 * `seen` is that status where the caller has read it. Returns the head of the stream afterwards.
 */
export async function announceMissedEnd(
  ctx: EngineContext,
  session: SessionRow,
  seen?: StreamInfo | null,
): Promise<number> {
  const { streamId } = session;
  if (!isRoot(session) || session.status === 'running') return ctx.announcer.head(streamId);
  let info = seen === undefined ? await ctx.announcer.info(streamId) : seen;
  if (info && hasMore(info, session)) {
    await announceRest(ctx, session, info);
    info = await ctx.announcer.info(streamId);
  }
  return Math.max(info?.head ?? 0, ctx.announcer.head(streamId));
}

async function announceRest(
  ctx: EngineContext,
  session: SessionRow,
  { status }: StreamInfo,
): Promise<void> {
  const view = await readStepView(ctx, session);
  if (!view || view.session.status === 'running') return;
  if (status === 'paused') await ctx.announcer.open(session.streamId);
  await ctx.announcer.announce(session.streamId, await unannouncedChunksOfRun(ctx, view));
  await announceEnd(ctx, session, view.session.epoch);
}

/** Still open, or paused although the session has ended: the process that ended it died before it announced the end. */
function hasMore(info: StreamInfo, session: SessionRow): boolean {
  return info.status === 'active' || (info.status === 'paused' && isTerminal(session));
}

function endOfRunEntries(
  session: SessionRow,
  calls: readonly OpenCallRow[],
  now: number,
): StreamEntry[] {
  const speaker = speakerOf(session);
  const { runId, status } = session;
  const key = `run:${runId}:end`;
  switch (status) {
    case 'running':
      return [];
    case 'completed':
      return [
        entry(speaker, now, 'output', { output: session.output }, `run:${runId}:output`),
        entry(speaker, now, 'run_completed', { runId }, key),
      ];
    case 'failed': {
      const { code, message } = session.error ?? RUN_FAILED;
      const body = {
        message,
        code,
        category: categoryOfCode(code),
        retryable: isRetryableCode(code),
      };
      return [
        entry(speaker, now, 'error', body, `run:${runId}:error`),
        entry(speaker, now, 'run_failed', { runId, code, message }, key),
      ];
    }
    case 'interrupted': {
      const body = { runId, reason: session.failureReason };
      return [entry(speaker, now, 'run_interrupted', body, `run:${runId}:interrupted`)];
    }
    case 'suspended_client_tool':
    case 'suspended_awaiting_children':
    case 'suspended_step_partial': {
      const toolCallIds = calls.map((row) => row.toolCallId);
      const body = { runId, status, toolCallIds };
      return [entry(speaker, now, 'run_suspended', body, `run:${runId}:suspended`)];
    }
  }
}

/** What the stream of this root should be. */
export function streamStateFor(session: SessionRow): StreamState {
  return session.status === 'running' ? { as: 'active' } : streamClose(session);
}

/** How the stream of a run has to be closed if another owner has ended the session; null while it has not. */
export async function endedByOther(ctx: EngineContext, run: LoopRun): Promise<StreamClose | null> {
  const session = await ctx.databases.of(run).readSession(run);
  const isOver = session !== null && session.epoch !== run.epoch && session.status !== 'running';
  return isOver ? streamClose(session) : null;
}

function streamClose(session: SessionRow): StreamClose {
  switch (session.status) {
    case 'completed':
      return { as: 'ended', output: session.output };
    case 'failed':
      return { as: 'failed', error: session.error?.message ?? 'The run failed.' };
    case 'running':
    case 'interrupted':
    case 'suspended_client_tool':
    case 'suspended_awaiting_children':
    case 'suspended_step_partial':
      return { as: 'paused' };
  }
}
