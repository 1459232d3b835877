import type { LoopRun } from '../../loop/host.ts';
import type { SessionRow } from '../../store/rows.ts';
import { announceClose } from '../announce/announce-close.ts';
import { tryCloseChildrenApart } from '../children/close-child.ts';
import { closeTree } from '../children/close-tree.ts';
import { closeWrites } from '../children/tree-close.ts';
import type { ClaimRequest } from '../claim/claim-plan.ts';
import { claim } from '../claim/claim.ts';
import type { EngineContext } from '../context.ts';
import { readStepTree } from '../rows/child-view.ts';

/**
 * A new message instead of the answers: one write closes the half step as superseded, appends the message and claims the
 * session. Null when the session moved meanwhile: the caller looks again, also for the message itself.
 */
export async function supersede(
  ctx: EngineContext,
  root: SessionRow,
  turn: Pick<ClaimRequest, 'messages' | 'state' | 'trace'>,
): Promise<LoopRun | null> {
  const view = await readStepTree(ctx, root);
  if (!view || view.session.version !== root.version) return null;
  const { session } = view;
  const parts = await closeTree(ctx, view, 'superseded', {});
  const beside = closeWrites(parts);
  const run = await claim(ctx, { session }, { ...turn, trigger: 'execute', beside });
  if (!run) return null;
  await announceClose(ctx, session, parts);
  await tryCloseChildrenApart(ctx, session);
  return run;
}
