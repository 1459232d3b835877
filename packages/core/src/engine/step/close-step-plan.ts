import { DEFAULT_MAX_STEPS } from '../../define/defaults.ts';
import { FINISH_TOOL_NAME } from '../../define/finish-tool.ts';
import type { AgentConfig } from '../../define/types.ts';
import type { JsonValue } from '../../json.ts';
import { toolMessageFrom } from '../../messages/builders.ts';
import type { Message, UserMessage } from '../../messages/message.ts';
import { toJsonPatches } from '../../state/json-patch.ts';
import type { StateWrite } from '../../state/state-write.ts';
import type { CommitPlan } from '../../store/commit-plan.ts';
import type { CallResult, SessionRow, StepPlan, StoredError, UsageRow } from '../../store/rows.ts';
import type { JsonPatch } from '../../stream/chunks.ts';
import { frozenCopy } from '../../util/frozen-copy.ts';
import type { LoopRun } from '../../loop/host.ts';
import { settledUsage } from '../rows/call-usage.ts';
import type { EngineContext } from '../context.ts';
import type { Taken } from './decide-step.ts';
import { mergeState, orderedWrites } from '../rows/merge-state.ts';
import { checkpointRow, messageRows } from '../rows/session-rows.ts';
import type { StepView } from '../rows/step-view.ts';
import { decidedCalls, endOfRun } from './suspend-plan.ts';
import { settleGuard } from '../rows/write.ts';
import { codedError } from '../../errors/coded-error.ts';

export interface StepClosing {
  readonly plan: CommitPlan;
  readonly ended: boolean;
  readonly patches: readonly JsonPatch[];
  readonly messageCount: number;
}

/** Everything that goes into the closing commit besides the rows that were read. */
interface StepEnding {
  readonly results: readonly CallResult[];
  readonly taken: readonly Taken[];
  readonly hookWrites: readonly StateWrite[];
  readonly usage: readonly UsageRow[];
}

type StepEnd =
  | { readonly status: 'running' }
  | { readonly status: 'completed'; readonly output: JsonValue }
  | { readonly status: 'failed'; readonly error: StoredError };

/** The commit of a whole step: messages in call order, merged state, checkpoint, and the end of the run if this is it. */
export function closeStepPlan(
  ctx: EngineContext,
  run: LoopRun,
  view: StepView,
  agent: AgentConfig,
  decision: StepEnding,
  commitId: string = ctx.newId(),
): StepClosing {
  const { session } = view;
  const { sessionId, stepId } = session;
  const plan = view.plan as StepPlan;
  const now = ctx.clock.now();
  const stepCount = session.stepCount + 1;
  const end = stepEnd(agent, plan, decision.results, stepCount);
  const messages = messageRows(
    session,
    closingMessages(session, plan, decision.results, end, agent),
    now,
  );
  const messageCount = session.messageCount + messages.length;
  const writes = stepWrites(plan, decision);
  const customState =
    writes.length === 0 ? session.customState : frozenCopy(mergeState(session.customState, writes));
  const checkpoint = checkpointRow({
    session,
    version: session.version + 1,
    stepCount,
    status: end.status,
    messageCount,
    customState,
    streamSequence: ctx.announcer.head(session.streamId),
    now,
    suffix: commitId.slice(-6),
  });
  const closed =
    end.status === 'running'
      ? goesOn(ctx, commitId, now)
      : closedRun(run, session, end, commitId, now, stepCount);
  return {
    ended: end.status !== 'running',
    patches: toJsonPatches(session.customState, writes),
    messageCount,
    plan: {
      kind: end.status === 'running' ? 'step' : 'end',
      rootId: run.rootId,
      commitId,
      now,
      guard: settleGuard(run, session),
      sessions: [
        {
          sessionId,
          set: {
            ...closed.set,
            stepId: stepId + 1,
            stepCount,
            messageCount,
            ...(session.stepMessage === null ? UNCHANGED : { stepMessage: null }),
            ...(writes.length === 0 ? UNCHANGED : { customState }),
          },
          raise: { version: true },
        },
      ],
      insert: {
        messages,
        checkpoints: [checkpoint],
        usage:
          decision.taken.length === 0
            ? decision.usage
            : [...decision.usage, ...settledUsage(ctx, session, decision.taken, now)],
      },
      update: {
        calls: decidedCalls(view, decision.taken, now),
        runs: closed.runs,
      },
      remove: { journal: view.journal.length > 0 ? [{ sessionId, stepId }] : [] },
    },
  };
}

const UNCHANGED = {};

/** Hooks around the model call, then the results in merge order, then hooks around this commit. */
function stepWrites(plan: StepPlan, { results, hookWrites }: StepEnding): readonly StateWrite[] {
  if (!plan.writes && results.every((result) => !result.writes)) return hookWrites;
  const byIndex = new Map(plan.calls.map((call, position) => [call.index, results[position]]));
  const merged = orderedWrites(plan.calls, (call) => byIndex.get(call.index));
  return [...(plan.writes ?? []), ...merged, ...hookWrites];
}

/** The run's own count follows when it ends; until then it is the session's. Renewals of a lease say that it is alive. */
function goesOn(ctx: EngineContext, commitId: string, now: number): ReturnType<typeof endOfRun> {
  const alive = ctx.identity.leaseMs === null ? { updatedAt: now } : {};
  return { set: { lastCommit: commitId, ...alive }, runs: [] };
}

function closedRun(
  run: LoopRun,
  session: SessionRow,
  end: Exclude<StepEnd, { status: 'running' }>,
  commitId: string,
  now: number,
  stepCount: number,
): ReturnType<typeof endOfRun> {
  const ended = endOfRun(run, session, end.status, commitId, now, stepCount);
  const outcome =
    end.status === 'completed'
      ? { output: end.output, error: null }
      : { error: end.error, failureReason: end.error.code };
  return { ...ended, set: { ...ended.set, ...outcome } };
}

function stepEnd(
  agent: AgentConfig,
  plan: StepPlan,
  results: readonly CallResult[],
  stepCount: number,
): StepEnd {
  for (const [position, call] of plan.calls.entries()) {
    const outcome = results[position]?.outcome;
    if (call.class === 'finish' && outcome?.success)
      return { status: 'completed', output: outcome.value };
  }
  if (plan.calls.length === 0 && plan.stop)
    return { status: 'completed', output: plan.message.content };
  const limit = agent.maxSteps ?? DEFAULT_MAX_STEPS;
  if (stepCount < limit) return { status: 'running' };
  const message = `The run did not finish within ${limit} steps; raise maxSteps or give it a smaller task.`;
  return { status: 'failed', error: codedError('run_max_steps_exceeded', message) };
}

function closingMessages(
  session: SessionRow,
  plan: StepPlan,
  results: readonly CallResult[],
  end: StepEnd,
  agent: AgentConfig,
): Message[] {
  const messages: Message[] = session.stepMessage === null ? [plan.message] : [];
  for (const [position, call] of plan.calls.entries()) {
    const result = results[position];
    if (result) messages.push(toolMessageFrom(call, result.outcome, result));
  }
  if (end.status === 'running' && plan.calls.length === 0 && agent.outputSchema)
    messages.push(FINISH_REMINDER);
  return messages;
}

const FINISH_REMINDER: UserMessage = {
  role: 'user',
  content: `Give your final answer by calling the ${FINISH_TOOL_NAME} tool.`,
  metadata: { hidden: true },
};
