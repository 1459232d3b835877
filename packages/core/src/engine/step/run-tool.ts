import { toolsOf } from '../../define/effective-tools.ts';
import { withStateDefaults } from '../../define/initial-state.ts';
import { hasSettleHooks } from '../hooks/settle-hooks.ts';
import type { JsonValue } from '../../json.ts';
import type {
  CallResult,
  JournalRow,
  PlannedCall,
  SessionRow,
  UsageRow,
} from '../../store/rows.ts';
import type { Done, LoopRun, PlanEntry } from '../../loop/host.ts';
import { failure } from '../rows/answer-result.ts';
import { toolUsage, waitUsage } from '../rows/call-usage.ts';
import { endEntries, speakerOf, startEntry } from '../announce/chunk-entries.ts';
import { outcomeUnknown } from '../children/close-step.ts';
import type { EngineContext, OperationScope } from '../context.ts';
import { executeTool } from './execute-tool.ts';
import { mergeState, orderedWrites } from '../rows/merge-state.ts';
import { requireAgent } from '../require-agent.ts';
import { startRecord } from '../rows/start-record.ts';
import {
  isInMemory,
  cachedStepView,
  ownCall,
  ownStepView,
  readStepView,
  type StepView,
} from '../rows/step-view.ts';
import { owns } from '../rows/session-status.ts';
import { editedInput, withApproval } from '../rows/answer-details.ts';
import { record } from '../rows/write.ts';

type ResultRow = Extract<JournalRow, { kind: 'result' }>;

const OK: Done = { ok: true };
const STALE: Done = { ok: false, code: 'stale' };

/**
 * Executes one call and records its result. A repeat finds the result and does not execute. A `once` tool first
 * records its start; whoever finds another attempt's start records `tool_outcome_unknown` instead.
 */
export async function runTool(
  ctx: EngineContext,
  run: LoopRun,
  planned: PlanEntry,
  scope: OperationScope,
): Promise<Done> {
  const view = await ownStepView(ctx, run);
  if (!view || !owns(view.session, run)) return STALE;
  const call = outstandingCall(view, planned);
  if (!call) return OK;
  const approval = approvalOf(view, call);
  if (approval === 'missing') return OK;

  const agent = requireAgent(ctx, view.session);
  const tool = toolsOf(agent).byName.get(call.toolName);
  if (!tool || tool.execute === 'client') {
    const gone = failure('tool_not_found', `The tool ${call.toolName} no longer exists.`);
    return settleUnrun(ctx, run, view, call, approval.told(gone, false));
  }
  if (call.execution === 'once') {
    const started = await recordStart(ctx, run, view, call);
    if (started === 'retry') return runTool(ctx, run, planned, scope);
    if (started === 'unknown')
      return settleUnrun(
        ctx,
        run,
        view,
        call,
        approval.told(outcomeUnknown(ctx.describeError), true),
      );
  }
  const { input } = approval;
  const began = announceStart(ctx, run, view, call, input);
  const base = withStateDefaults(agent, baseState(view, call));
  const state = base instanceof Promise ? await base : base;
  const performed = await executeTool(ctx, run, view.session, call, tool, input, state, scope);
  // Stopped from outside: what has no result stays without one, and resume or the next owner decides.
  if (performed === null) {
    ctx.memory?.invalidate(run);
    return OK;
  }
  const result = approval.told(performed.result, performed.ran);
  const usage = usageOf(ctx, view, call, result, began, performed.usage);
  return recordResult(ctx, run, view, call, result, usage);
}

/** Null when it has its result, or the step is another one. */
function outstandingCall(view: StepView, { index, callId }: PlanEntry): PlannedCall | null {
  const call = view.plan?.calls.find((candidate) => candidate.index === index);
  return call?.callId === callId && !view.results.has(index) ? call : null;
}

/** The input of a gated call comes from its approved row: as proposed, or as the person edited it. */
interface ApprovedInput {
  readonly input: JsonValue;
  /** A result with what the person's answer adds to it. */
  readonly told: (result: CallResult, ran: boolean) => CallResult;
}

function approvalOf(view: StepView, call: PlannedCall): ApprovedInput | 'missing' {
  if (call.class !== 'approval') return { input: call.input, told: (result) => result };
  const row = ownCall(view, call);
  if (row?.outcome !== 'approved') return 'missing';
  const edited = editedInput(row);
  return {
    input: edited === undefined ? call.input : edited,
    told: (result, ran) => withApproval(result, row, ran),
  };
}

function announceStart(
  ctx: EngineContext,
  run: LoopRun,
  view: StepView,
  call: PlannedCall,
  input: JsonValue,
): number {
  const began = ctx.clock.now();
  const epoch = isInMemory(view) ? run.epoch : null;
  const started = startEntry(speakerOf(view.session), began, call, input, epoch);
  ctx.announcer.later(view.session.streamId, [started], 'live');
  return began;
}

function usageOf(
  ctx: EngineContext,
  view: StepView,
  call: PlannedCall,
  result: CallResult,
  began: number,
  own: readonly UsageRow[],
): readonly UsageRow[] {
  const now = ctx.clock.now();
  const usage = [toolUsage(ctx, view.session, call, result, now - began, now)];
  const row = ownCall(view, call);
  if (row) usage.push(waitUsage(ctx, view.session, row, began));
  usage.push(...own);
  return usage;
}

/** Tools start from committed state and what hooks around the model call changed; a finish tool sees the merged step. */
function baseState(view: StepView, call: PlannedCall): JsonValue {
  const { plan, results, session } = view;
  const writes = plan?.writes ?? [];
  if (call.class !== 'finish') return mergeState(session.customState, writes);
  const merged = orderedWrites(plan?.calls ?? [], (other) => results.get(other.index));
  return mergeState(session.customState, [...writes, ...merged]);
}

async function recordStart(
  ctx: EngineContext,
  run: LoopRun,
  view: StepView,
  call: PlannedCall,
): Promise<'mine' | 'unknown' | 'retry'> {
  if (view.starts.has(call.index)) return 'unknown';
  const { row, guard } = startRecord(ctx, view, call);
  const applied = await record(
    ctx,
    run,
    view.session.stepId,
    { insert: { journal: [row] }, guard },
    async () => (await readStepView(ctx, run))?.starts.get(call.index) === row.data.attempt,
  );
  if (!applied) return 'retry';
  ctx.memory?.recorded(run, row);
  return 'mine';
}

/** A result that is known without executing anything. */
function settleUnrun(
  ctx: EngineContext,
  run: LoopRun,
  view: StepView,
  call: PlannedCall,
  result: CallResult,
): Done | Promise<Done> {
  const usage = usageOf(ctx, view, call, result, ctx.clock.now(), []);
  return recordResult(ctx, run, view, call, result, usage);
}

/** At once where the result only has to be kept. */
function recordResult(
  ctx: EngineContext,
  run: LoopRun,
  view: StepView,
  call: PlannedCall,
  result: CallResult,
  usage: readonly UsageRow[],
): Done | Promise<Done> {
  const { session } = view;
  const row: ResultRow = {
    sessionId: run.sessionId,
    stepId: session.stepId,
    index: call.index,
    kind: 'result',
    data: result,
    createdAt: ctx.clock.now(),
  };
  // Not durable yet: its end is announced with the commit of the step.
  if (isInMemory(view) || mayRide(ctx, run, call)) {
    ctx.memory?.add(run, row, usage);
    return OK;
  }
  return writeResult(ctx, run, session, call, row, usage);
}

async function writeResult(
  ctx: EngineContext,
  run: LoopRun,
  session: SessionRow,
  call: PlannedCall,
  row: ResultRow,
  usage: readonly UsageRow[],
): Promise<Done> {
  const applied = await record(
    ctx,
    run,
    session.stepId,
    { insert: { journal: [row], usage } },
    async () => {
      const after = await readStepView(ctx, run);
      return after?.session.stepId === session.stepId && after.results.has(call.index);
    },
  );
  if (!applied) return refusedResult(ctx, run, session.stepId, call);
  ctx.memory?.recorded(run, row);
  const ends = endEntries(speakerOf(session), ctx.clock.now(), call, row.data.outcome);
  ctx.announcer.later(session.streamId, ends, 'fact');
  return OK;
}

/** The last outstanding result goes with the commit that closes the step, which follows at once. */
function mayRide(ctx: EngineContext, run: LoopRun, call: PlannedCall): boolean {
  const view = cachedStepView(ctx, run);
  if (!view?.plan) return false;
  if (call.execution === 'once' && hasSettleHooks(ctx, view.session)) return false;
  return view.plan.calls.every(({ index }) => view.results.has(index) !== (index === call.index));
}

/** The record missed: somebody else's result stands, or the run is no longer ours. */
async function refusedResult(
  ctx: EngineContext,
  run: LoopRun,
  stepId: number,
  call: PlannedCall,
): Promise<Done> {
  const after = await readStepView(ctx, run);
  if (!after || !owns(after.session, run)) return STALE;
  const standing = after.session.stepId !== stepId || after.results.has(call.index);
  if (!standing)
    throw new Error(`The result of ${call.callId} was refused although its step is open.`);
  return OK;
}
