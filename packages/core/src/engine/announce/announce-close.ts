import type { SessionRow } from '../../store/rows.ts';
import type { StreamEntry } from '../../stream/stream-manager.ts';
import type { EngineContext } from '../context.ts';
import type { StepView } from '../rows/step-view.ts';
import { StreamTail } from './stream-tail.ts';
import { unannouncedChunksOf, unannouncedChunksOfRun } from './unannounced-chunks.ts';
import { isRoot } from '../../store/session-place.ts';

/** The sessions that a commit closed, as they were before it, and the chunks that it made true. */
interface ClosedSessions {
  readonly closed: readonly StepView[];
  readonly ends: readonly StreamEntry[];
}

/**
 * After a commit that closed sub-sessions: the last owner of one of them may have committed steps and not announced them.
 * The root's run may be over by then. Its own end is announced apart, with what is missing before it.
 */
export async function announceClose(
  ctx: EngineContext,
  { streamId }: SessionRow,
  { closed, ends }: ClosedSessions,
): Promise<void> {
  const tail = new StreamTail(ctx.announcer, streamId);
  const missing = await unannouncedChunksOf(ctx, closed.filter(isChild), tail);
  await ctx.announcer.add(streamId, [...missing, ...ends]);
}

/** The same after a commit that ended a root with its whole tree. The caller closes the stream. */
export async function announceTreeEnd(
  ctx: EngineContext,
  root: StepView,
  { closed, ends }: ClosedSessions,
): Promise<void> {
  const { streamId } = root.session;
  const tail = new StreamTail(ctx.announcer, streamId);
  const missing = [
    ...(await unannouncedChunksOfRun(ctx, root, tail)),
    ...(await unannouncedChunksOf(ctx, closed.filter(isChild), tail)),
  ];
  await ctx.announcer.announceLast(streamId, [...missing, ...ends]);
}

function isChild({ session }: StepView): boolean {
  return !isRoot(session);
}
