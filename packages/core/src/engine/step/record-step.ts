import type { AgentConfig } from '../../define/types.ts';
import type {
  ChildReferenceRow,
  JournalRow,
  OpenCallRow,
  PlannedCall,
  SessionRow,
  StepRecord,
  UsageRow,
} from '../../store/rows.ts';
import type { TokenCounts } from '../../usage/usage.ts';
import { announceAsked } from '../announce/announce-asked.ts';
import { raiseCalls } from '../children/collect-child.ts';
import type { Brought } from '../capabilities/bring-capabilities.ts';
import type { EngineContext } from '../context.ts';
import { openCalls } from '../rows/open-call-rows.ts';
import { pinRows } from '../rows/pins.ts';
import { readStepView, type StepScope } from '../rows/step-view.ts';
import { record } from '../rows/write.ts';
import { rootRef } from '../../store/session-place.ts';

/** A step as think made it. */
interface Thought {
  readonly record: StepRecord;
  /** By the agent's capabilities: what is not pinned yet is written with the step, also where the step could stay in memory. */
  readonly brought: Pick<Brought, 'toPin' | 'pins'>;
}

type PlanRow = Extract<JournalRow, { kind: 'plan' }>;

/** Writes the step with its open calls and child references, then announces. False: read again. */
export async function recordStep(
  step: StepScope,
  agent: AgentConfig,
  { record: data, brought }: Thought,
  answer: AnswerUsage,
): Promise<boolean> {
  const { ctx, run, view } = step;
  const { session } = view;
  const now = ctx.clock.now();
  const { sessionId, stepId } = session;
  const row: PlanRow = { sessionId, stepId, index: -1, kind: 'plan', data, createdAt: now };
  const { usage: tokens, modelId = modelName(agent.llmConfig.model) } = answer;
  const usage = tokens ? [tokenUsage(ctx, session, modelId, tokens, now)] : [];
  const { toPin, pins } = brought;
  const pinned = pinRows(session, pins.next, toPin, now);
  if (!ctx.memory || pinned.length > 0 || !mayStayInMemory(agent, data))
    return writeStep(step, agent, { row, pinned, usage });
  ctx.memory.add(run, row, usage);
  return true;
}

/** The rows that record a step, without those of its calls. */
interface StepWrite {
  readonly row: PlanRow;
  readonly pinned: readonly JournalRow[];
  readonly usage: readonly UsageRow[];
}

async function writeStep(
  { ctx, run, view }: StepScope,
  agent: AgentConfig,
  { row, pinned, usage }: StepWrite,
): Promise<boolean> {
  const { session } = view;
  const { data, createdAt: now } = row;
  const calls = await openCalls(ctx, view, agent, data, now);
  const references = data.calls.flatMap((call) => childReference(session, call, now));
  const insert = { journal: [row, ...pinned], calls, references, usage };
  const isRecorded = async (): Promise<boolean> => {
    const after = await readStepView(ctx, run);
    return after?.plan?.message.id === data.message.id;
  };
  if (!(await record(ctx, run, session.stepId, { insert }, isRecorded))) return false;
  if (references.length > 0) ctx.memory?.invalidate(run);
  else ctx.memory?.recorded(run, row, calls);
  await announceOpenCalls(ctx, session, calls);
  return true;
}

/** `durability: 'step'` may skip the journal only where repeating the whole step harms nobody. */
function mayStayInMemory(agent: AgentConfig, { calls }: StepRecord): boolean {
  if (agent.durability !== 'step') return false;
  return calls.every(
    (call) =>
      (call.class === 'server' || call.class === 'finish' || call.class === 'settled') &&
      call.execution !== 'once',
  );
}

/** Announces calls that are open at the root; those of a child in a store of its own are carried there first. */
export async function announceOpenCalls(
  ctx: EngineContext,
  session: SessionRow,
  calls: readonly OpenCallRow[],
): Promise<void> {
  const open = calls.filter((call) => call.state === 'open');
  if (open.length === 0) return;
  if (ctx.databases.of(session) !== ctx.databases.of(rootRef(session.rootId))) {
    await raiseCalls(ctx, session);
    return;
  }
  await announceAsked(ctx, session, open);
}

function childReference(session: SessionRow, call: PlannedCall, now: number): ChildReferenceRow[] {
  if (!call.child) return [];
  return [
    {
      sessionId: session.sessionId,
      subSessionId: call.child.sessionId,
      agentType: call.child.agentType,
      parentToolCallId: call.callId,
      stepId: session.stepId,
      index: call.index,
      state: 'live',
      continuation: 0,
      status: 'active',
      remote: null,
      mode: 'ephemeral',
      name: null,
      generation: 1,
      started: false,
      told: 0,
      asked: 0,
      wake: false,
      closingStep: null,
      closingAt: null,
      closeReason: null,
      startedAt: now,
      completedAt: null,
    },
  ];
}

/** The usage that an answer reports. */
interface AnswerUsage {
  readonly usage?: TokenCounts;
  readonly modelId?: string;
}

function modelName(model: unknown): string {
  if (typeof model === 'string') return model;
  return (model as { readonly modelId?: string } | null | undefined)?.modelId ?? 'model';
}

function tokenUsage(
  ctx: EngineContext,
  session: SessionRow,
  model: string,
  tokens: TokenCounts,
  now: number,
): UsageRow {
  return {
    id: ctx.newId(),
    sessionId: session.sessionId,
    rootId: session.rootId,
    runId: session.runId,
    stepCount: session.stepCount,
    kind: 'tokens',
    sourceType: 'agent',
    sourceName: session.agentType,
    data: { model, tokens: { ...tokens } },
    timestamp: now,
  };
}
