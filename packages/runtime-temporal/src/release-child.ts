import type { EngineContext, LoopRun } from '@helix-agents/core';
import type { Client } from '@temporalio/client';
import { HOST_TRAITS } from './host-traits.ts';
import { isWorkflowAlive } from './workflow-liveness.ts';

/**
 * A child that its parent waits for although its workflow is gone: terminated, or failed while the store was away. Its
 * row says from now on that its owner is dead, and its parent takes it over.
 */
export async function releaseGoneChild(
  ctx: EngineContext,
  client: Client,
  prefix: string,
  run: LoopRun,
  index: number,
): Promise<void> {
  const step = await ctx.databases.of(run).readStep(run);
  const reference = step?.references.find(
    (row) => row.stepId === step.session.stepId && row.index === index,
  );
  if (!reference) return;
  const child = { rootId: run.rootId, sessionId: reference.subSessionId };
  const store = ctx.databases.of(child);
  const session = await store.readSession(child);
  const isOurs = session?.hostKind === HOST_TRAITS.hostKind && session.status === 'running';
  if (!isOurs || !session.started || (await isWorkflowAlive(client, prefix, session))) return;
  const { sessionId, version, epoch } = session;
  await store.commit({
    kind: 'lease',
    rootId: run.rootId,
    commitId: ctx.newId(),
    now: ctx.clock.now(),
    guard: { sessions: [{ sessionId, version, epoch, status: ['running'] }] },
    sessions: [{ sessionId, set: { leaseOwner: HOST_TRAITS.hostKind, leaseUntil: 0 } }],
  });
}
