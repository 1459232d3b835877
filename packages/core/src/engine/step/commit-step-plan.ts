import { FINISH_TOOL_NAME } from '../../define/finish-tool.ts';
import type { AgentConfig } from '../../define/types.ts';
import type { JsonValue } from '../../json.ts';
import { toolMessageFrom } from '../../messages/builders.ts';
import type { Message, UserMessage } from '../../messages/message.ts';
import { toJsonPatches } from '../../state/json-patch.ts';
import type { StateWrite } from '../../state/state-write.ts';
import type { CommitPlan } from '../../store/commit-plan.ts';
import type { CallResult, MessageRow, SessionRow, StepRecord, UsageRow } from '../../store/rows.ts';
import type { JsonPatch } from '../../stream/chunks.ts';
import { frozenCopy } from '../../util/frozen-copy.ts';
import { settledUsage } from '../rows/call-usage.ts';
import { endOfRun, type RunEnd } from '../rows/end-of-run.ts';
import { mergeState, orderedWrites } from '../rows/merge-state.ts';
import { checkpointRow, messageRows, saidInStep } from '../rows/session-rows.ts';
import type { StepScope } from '../rows/step-view.ts';
import { settleGuard } from '../rows/write.ts';
import type { AcceptedAnswer } from './decide-step.ts';
import { stepEnd, type StepEnd } from './step-end.ts';
import { decidedCalls } from './suspend-plan.ts';

export interface StepCommit {
  readonly plan: CommitPlan;
  readonly ended: boolean;
  readonly patches: readonly JsonPatch[];
  readonly messageCount: number;
}

/** Everything that goes into the commit of a step besides the rows that were read. */
interface StepEnding {
  readonly results: readonly CallResult[];
  readonly accepted: readonly AcceptedAnswer[];
  readonly hookWrites: readonly StateWrite[];
  readonly usage: readonly UsageRow[];
}

/** A step with its results, as the commit writes it. */
interface WholeStep {
  readonly end: StepEnd;
  readonly stepCount: number;
  readonly messages: MessageRow[];
  readonly messageCount: number;
  readonly writes: readonly StateWrite[];
  readonly customState: JsonValue;
}

/** The commit of a whole step: messages in call order, merged state, checkpoint, and the end of the run if this is it. */
export function commitStepPlan(
  step: StepScope,
  agent: AgentConfig,
  ending: StepEnding,
): StepCommit {
  const { ctx, run, view } = step;
  const { session } = view;
  const { sessionId, stepId } = session;
  const now = ctx.clock.now();
  const commitId = ctx.newId();
  const whole = wholeStep(step, agent, ending, now);
  const { end, stepCount, messages, messageCount, writes, customState } = whole;
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
  const fields = runFields(step, end, { status: end.status, stepCount, commitId, now });
  const plan: CommitPlan = {
    kind: end.status === 'running' ? 'step' : 'end',
    rootId: run.rootId,
    commitId,
    now,
    guard: settleGuard(run, session),
    sessions: [
      {
        sessionId,
        set: {
          ...fields.set,
          stepId: stepId + 1,
          stepCount,
          messageCount,
          ...(session.stepMessage === null ? {} : { stepMessage: null }),
          ...(writes.length === 0 ? {} : { customState }),
        },
        raise: { version: true },
      },
    ],
    insert: {
      messages,
      checkpoints: [checkpoint],
      usage: [...ending.usage, ...settledUsage(ctx, session, ending.accepted, now)],
    },
    update: { calls: decidedCalls(view, ending.accepted, now), runs: fields.runs },
    remove: { journal: view.journal.length > 0 ? [{ sessionId, stepId }] : [] },
  };
  const patches = toJsonPatches(session.customState, writes);
  return { plan, ended: end.status !== 'running', patches, messageCount };
}

function wholeStep(
  { view }: StepScope,
  agent: AgentConfig,
  ending: StepEnding,
  now: number,
): WholeStep {
  const { session } = view;
  const record = view.plan as StepRecord;
  const stepCount = session.stepCount + 1;
  const end = stepEnd(agent, record, ending.results, stepCount);
  const tail = end.status === 'running' && needsReminder(agent, record) ? [FINISH_REMINDER] : [];
  const appended = [...stepMessages(session, record, ending.results), ...tail];
  const messages = messageRows(session, appended, now);
  const writes = stepWrites(record, ending);
  return {
    end,
    stepCount,
    messages,
    messageCount: session.messageCount + messages.length,
    writes,
    customState:
      writes.length === 0
        ? session.customState
        : frozenCopy(mergeState(session.customState, writes)),
  };
}

/** Hooks around the model call, then the results in merge order, then hooks around this commit. */
function stepWrites(record: StepRecord, { results, hookWrites }: StepEnding): StateWrite[] {
  const byIndex = new Map(record.calls.map((call, position) => [call.index, results[position]]));
  const merged = orderedWrites(record.calls, (call) => byIndex.get(call.index));
  return [...(record.writes ?? []), ...merged, ...hookWrites];
}

/**
 * Fields of the session and its run. While the run goes on its record is left alone, and so is `updatedAt` where renewals of
 * the lease move it.
 */
function runFields(
  { ctx, run }: StepScope,
  end: StepEnd,
  runEnd: RunEnd,
): ReturnType<typeof endOfRun> {
  const { commitId: lastCommit, now } = runEnd;
  const ended = endOfRun(run, runEnd);
  switch (end.status) {
    case 'running': {
      const alive = ctx.identity.leaseMs === null ? { updatedAt: now } : {};
      return { set: { lastCommit, ...alive }, runs: [] };
    }
    case 'completed':
      return { ...ended, set: { ...ended.set, output: end.output, error: null } };
    case 'failed': {
      const { error } = end;
      return { ...ended, set: { ...ended.set, error, failureReason: error.code } };
    }
  }
}

function stepMessages(
  session: SessionRow,
  record: StepRecord,
  results: readonly CallResult[],
): Message[] {
  const messages: Message[] = session.stepMessage === null ? saidInStep(record) : [];
  for (const [position, call] of record.calls.entries()) {
    const result = results[position];
    if (result) messages.push(toolMessageFrom(call, result.outcome, result));
  }
  return messages;
}

/** A text does not end a run that owes an output of its schema. */
function needsReminder(agent: AgentConfig, record: StepRecord): boolean {
  return record.calls.length === 0 && agent.outputSchema !== undefined;
}

const FINISH_REMINDER: UserMessage = {
  role: 'user',
  content: `Give your final answer by calling the ${FINISH_TOOL_NAME} tool.`,
  metadata: { hidden: true },
};
