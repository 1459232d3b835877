import { readRoot } from '../engine/claim/claimable.ts';
import type { EngineContext } from '../engine/context.ts';
import { branchSession } from '../engine/human/branch.ts';
import { checkNewSessionId } from './user-messages.ts';

export interface BranchOptions {
  /** Default: the newest checkpoint. */
  readonly checkpointId?: string;
  /** Of the copy. Default: a new id. */
  readonly sessionId?: string;
}

/** Copies a session up to a checkpoint into a new one. */
export async function branchFrom(
  ctx: EngineContext,
  sourceId: string,
  { checkpointId, sessionId = ctx.newId() }: BranchOptions,
): Promise<{ readonly sessionId: string }> {
  checkNewSessionId(sessionId);
  await branchSession(ctx, await readRoot(ctx, sourceId), sessionId, checkpointId);
  return { sessionId };
}
