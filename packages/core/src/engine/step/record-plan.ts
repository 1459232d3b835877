import type { AgentConfig } from '../../define/types.ts';
import type {
  ChildReferenceRow,
  JournalRow,
  OpenCallRow,
  PlannedCall,
  SessionRow,
  StepPlan,
  UsageRow,
} from '../../store/rows.ts';
import type { TokenCounts } from '../../usage/usage.ts';
import type { LoopRun } from '../../loop/host.ts';
import { announceAsked } from '../announce/announce-asked.ts';
import { raiseCalls } from '../children/collect-child.ts';
import type { EngineContext } from '../context.ts';
import { openCalls } from '../rows/open-call-rows.ts';
import { readStepView, type StepView } from '../rows/step-view.ts';
import { record } from '../rows/write.ts';

type PlanRow = Extract<JournalRow, { kind: 'plan' }>;

/** Writes the plan with its open calls and child references, then announces. False: read again. At once if it is kept. */
export function recordPlan(
  ctx: EngineContext,
  run: LoopRun,
  view: StepView,
  agent: AgentConfig,
  plan: StepPlan,
  answer: AnswerUsage,
): true | Promise<boolean> {
  const { session } = view;
  const now = ctx.clock.now();
  const row: PlanRow = {
    sessionId: session.sessionId,
    stepId: session.stepId,
    index: -1,
    kind: 'plan',
    data: plan,
    createdAt: now,
  };
  const { usage: tokens, modelId = modelName(agent.llmConfig.model) } = answer;
  const usage = tokens ? [tokenUsage(ctx, session, modelId, tokens, now)] : [];
  if (ctx.memory && mayStayInMemory(agent, plan)) {
    ctx.memory.add(run, row, usage);
    return true;
  }
  return writePlan(ctx, run, view, agent, row, usage);
}

async function writePlan(
  ctx: EngineContext,
  run: LoopRun,
  view: StepView,
  agent: AgentConfig,
  row: PlanRow,
  usage: readonly UsageRow[],
): Promise<boolean> {
  const { session } = view;
  const { data: plan, createdAt: now } = row;
  const calls = await openCalls(ctx, view, agent, plan, now);
  const references = plan.calls.flatMap((call) => childReference(session, call, now));
  const applied = await record(
    ctx,
    run,
    session.stepId,
    { insert: { journal: [row], calls, references, usage } },
    async () => {
      const after = await readStepView(ctx, run);
      return after?.plan?.message.id === plan.message.id;
    },
  );
  if (!applied) return false;
  if (references.length > 0) ctx.memory?.invalidate(run);
  else ctx.memory?.recorded(run, row, calls);
  await announceOpenCalls(ctx, session, calls);
  return true;
}

/** `durability: 'step'` may skip the journal only where repeating the whole step harms nobody. */
function mayStayInMemory(agent: AgentConfig, plan: StepPlan): boolean {
  if (agent.durability !== 'step') return false;
  return plan.calls.every(
    (call) =>
      (call.class === 'server' || call.class === 'finish' || call.class === 'settled') &&
      call.execution !== 'once',
  );
}

/** Announces calls that are open at the root; from a child elsewhere they first have to get there. */
export async function announceOpenCalls(
  ctx: EngineContext,
  session: SessionRow,
  calls: readonly OpenCallRow[],
): Promise<void> {
  const open = calls.filter((call) => call.state === 'open');
  if (open.length === 0) return;
  const root = { rootId: session.rootId, sessionId: session.rootId };
  if (ctx.databases.of(session) !== ctx.databases.of(root)) {
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
      mode: 'ephemeral',
      name: null,
      closeReason: null,
      startedAt: now,
      completedAt: null,
    },
  ];
}

/** What an answer says of its cost. */
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
