import type { EngineContext } from '../context.ts';
import { requireAgent } from '../require-agent.ts';
import type { StepView } from '../rows/step-view.ts';
import type { OpenCallRow, RunRow, SessionRow, SuspendedStatus } from '../../store/rows.ts';
import { frozenCopy } from '../../util/frozen-copy.ts';
import { endedRun } from './ended-run.ts';
import { HookScope } from './fire-hooks.ts';
import type { HookPayloads } from '../../define/hooks.ts';
import { isRoot } from '../../store/session-place.ts';
import { RUN_FAILED } from '../../errors/coded-error.ts';

/** After the claim of a new run was committed; not after a takeover of one that has begun. */
export async function fireRunBegan(
  ctx: EngineContext,
  view: StepView,
  run: RunRow | undefined,
): Promise<void> {
  const { session } = view;
  if (!run) return;
  const scope = new HookScope(ctx, session);
  if (run.trigger === 'resume' || run.trigger === 'retry') {
    const { sessionId, runId } = session;
    const payload = {
      sessionId,
      runId,
      previousRunId: run.previousRunId ?? '',
      resumedFromCheckpointId: run.fromCheckpointId,
    };
    ctx.logger.info('agent.resumed', { sessionId, runId, previousRunId: run.previousRunId });
    await scope.fire('onAgentResumed', payload);
    return;
  }
  if (!scope.has('onAgentStart')) return;
  const { messages } = await ctx.transcripts.read(view.store, session, session.messageCount);
  const since = messages.findLastIndex((message) => message.role !== 'user') + 1;
  await scope.fire('onAgentStart', {
    agent: requireAgent(ctx, session),
    input: messages.slice(since),
    initialState: session.customState,
  });
}

/** Whether a hook fires at the end of this root's run: it may add chunks before the stream is closed. */
export function hasEndHooks(ctx: EngineContext, session: SessionRow): boolean {
  if (!isRoot(session)) return false;
  const scope = new HookScope(ctx, session);
  if (session.status !== 'running' && scope.has('onRunEnded')) return true;
  switch (session.status) {
    case 'running':
    case 'interrupted':
      return false;
    case 'completed':
      return scope.has('onAgentComplete');
    case 'failed':
      return scope.has('onAgentFail');
    case 'suspended_client_tool':
    case 'suspended_awaiting_children':
    case 'suspended_step_partial':
      return scope.has('onAgentSuspended');
  }
}

/** After the commit that ended a run. `openCalls` are those it left open, where the caller knows them. */
export async function fireRunEnded(
  ctx: EngineContext,
  session: SessionRow,
  openCalls?: readonly OpenCallRow[],
): Promise<void> {
  const scope = new HookScope(ctx, session);
  const { status } = session;
  switch (status) {
    case 'running':
      return;
    case 'interrupted':
      break;
    case 'completed':
    case 'failed':
      await fireEnd(ctx, scope, session);
      break;
    case 'suspended_client_tool':
    case 'suspended_awaiting_children':
    case 'suspended_step_partial':
      await fireSuspended(ctx, scope, session, status, openCalls);
  }
  if (!scope.has('onRunEnded')) return;
  const ended = await endedRun(ctx, session, status);
  if (ended) await scope.fire('onRunEnded', ended);
}

async function fireEnd(ctx: EngineContext, scope: HookScope, session: SessionRow): Promise<void> {
  if (!scope.has('onAgentComplete') && !scope.has('onAgentFail')) return;
  const [run] = await ctx.databases.of(session).readRuns(session, { last: 1 });
  const durationMs = run ? (run.completedAt ?? ctx.clock.now()) - run.startedAt : 0;
  const { stepCount, customState: finalState } = session;
  if (session.status === 'completed') {
    const output = frozenCopy(session.output);
    await scope.fire('onAgentComplete', { output, finalState, stepCount, durationMs });
    return;
  }
  const error = session.error ?? RUN_FAILED;
  await scope.fire('onAgentFail', { error, stepCount, durationMs });
}

async function fireSuspended(
  ctx: EngineContext,
  scope: HookScope,
  session: SessionRow,
  status: SuspendedStatus,
  openCalls?: readonly OpenCallRow[],
): Promise<void> {
  const { sessionId, runId } = session;
  ctx.logger.info('agent.suspended', { sessionId, runId, status });
  if (!scope.has('onAgentSuspended')) return;
  const calls = openCalls ?? (await readLeftOpen(ctx, session));
  const reason = suspendedFor(status, session, calls);
  const toolCallIds = calls.map((row) => row.toolCallId);
  await scope.fire('onAgentSuspended', { sessionId, runId, reason, status, toolCallIds });
}

/** The suspension settled the answers it took in: a row that is not settled was open then, even if it is answered now. */
async function readLeftOpen(ctx: EngineContext, session: SessionRow): Promise<OpenCallRow[]> {
  const calls = await ctx.databases.of(session).readCalls(session.rootId);
  return calls.filter((row) => row.state !== 'settled' && row.route.includes(session.sessionId));
}

function suspendedFor(
  status: SuspendedStatus,
  session: SessionRow,
  calls: readonly OpenCallRow[],
): HookPayloads['onAgentSuspended']['reason'] {
  switch (status) {
    case 'suspended_client_tool':
      return 'client_tool';
    case 'suspended_awaiting_children':
      return 'awaiting_children';
    case 'suspended_step_partial': {
      const own = calls.some((row) => row.ownerSessionId === session.sessionId);
      return own ? 'client_tool' : 'awaiting_children';
    }
  }
}
