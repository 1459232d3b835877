import { toolsOf } from '../../define/effective-tools.ts';
import type { CapabilitySession } from '../../capability/types.ts';
import type { AgentConfig, Tool } from '../../define/types.ts';
import type { ErrorCode } from '../../errors/codes.ts';
import { HelixError } from '../../errors/helix-error.ts';
import type { JsonValue } from '../../json.ts';
import type { Done, LoopRun, PlanEntry } from '../../loop/host.ts';
import type { CallResult, PlannedCall } from '../../store/rows.ts';
import { speakerOf, startEntry } from '../announce/chunk-entries.ts';
import { capabilitySessionOf } from '../capabilities/session-facts.ts';
import { findSessionTool } from '../capabilities/session-tools.ts';
import { outcomeUnknown } from '../children/abandon-step.ts';
import type { EngineContext, OperationScope } from '../context.ts';
import { requireAgent } from '../require-agent.ts';
import { editedInput, withApproval } from '../rows/answer-details.ts';
import { failure } from '../rows/answer-result.ts';
import { mergeState, orderedWrites } from '../rows/merge-state.ts';
import { shownInput, type ToolInput } from '../rows/parsed-input.ts';
import { owns } from '../rows/session-status.ts';
import { startRecord } from '../rows/start-record.ts';
import {
  isInMemory,
  ownCall,
  ownStepView,
  readStepView,
  type StepScope,
  type StepView,
} from '../rows/step-view.ts';
import { record } from '../rows/write.ts';
import { currentState } from './current-state.ts';
import { executeTool } from './execute-tool.ts';
import { recordResult } from './record-result.ts';

const OK: Done = { ok: true };
const STALE: Done = { ok: false, code: 'stale' };

/**
 * Executes one call and records its result. A repeat finds the result and does not execute. A `once` tool first
 * records its start; an attempt that finds the start of another one records `tool_outcome_unknown` instead.
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

  const step = { ctx, run, view };
  const agent = requireAgent(ctx, view.session);
  const found = await findTool(step, agent, call, scope.signal);
  if ('missing' in found) return recordUnrun(step, call, approval.annotate(found.missing, false));
  const { tool } = found;
  if (call.execution === 'once') {
    const started = await recordStart(step, call);
    if (started === 'retry') return runTool(ctx, run, planned, scope);
    if (started === 'unknown') {
      const unknown = outcomeUnknown(ctx.describeError);
      return recordUnrun(step, call, approval.annotate(unknown, true));
    }
  }
  const { input } = approval;
  const began = announceStart(step, call, shownInput(input));
  const { sessionId } = view.session;
  const base = { sessionId, customState: baseState(view, call) };
  const state = await currentState(ctx, agent, base, scope.signal);
  const performed = await executeTool(step, { call, tool, input, state }, scope);
  // Stopped from outside: a call without a result stays without one, and a resume or the next owner decides.
  if (performed === null) {
    ctx.memory?.invalidate(run);
    return OK;
  }
  const annotated = approval.annotate(performed.result, performed.ran);
  const ran = { startedAt: began, endedAt: ctx.clock.now() };
  const result = performed.ran ? { ...annotated, ran } : annotated;
  return recordResult(step, { call, result, began, usage: performed.usage });
}

/** The tool of a call, or the result of a call whose tool is not there any more or could not be had. */
async function findTool(
  step: StepScope,
  agent: AgentConfig,
  { toolName }: PlannedCall,
  signal: AbortSignal,
): Promise<{ readonly tool: Tool } | { readonly missing: CallResult }> {
  const { ctx, view } = step;
  const session = (): CapabilitySession =>
    capabilitySessionOf(step, () => view.session.customState, signal);
  try {
    const tool =
      toolsOf(agent).byName.get(toolName) ?? (await findSessionTool(ctx, agent, session, toolName));
    if (tool && tool.execute !== 'client') return { tool };
    return { missing: failure('tool_not_found', `The tool ${toolName} no longer exists.`) };
  } catch (error) {
    if (!HelixError.isInstance(error)) throw error;
    return { missing: failure(error.code as ErrorCode, error.message) };
  }
}

/** Null when it has its result, or the step is another one. */
function outstandingCall(view: StepView, { index, callId }: PlanEntry): PlannedCall | null {
  const call = view.plan?.calls.find((candidate) => candidate.index === index);
  return call?.callId === callId && !view.results.has(index) ? call : null;
}

/** The input of a gated call comes from its approved row: as proposed, or as the person edited it. */
interface ApprovedInput {
  readonly input: ToolInput;
  /** The result with what the person's answer adds to it. */
  readonly annotate: (result: CallResult, ran: boolean) => CallResult;
}

function approvalOf(view: StepView, call: PlannedCall): ApprovedInput | 'missing' {
  const proposed = { raw: call.input, parsed: call.parsed };
  if (call.class !== 'approval') return { input: proposed, annotate: (result) => result };
  const row = ownCall(view, call);
  if (row?.outcome !== 'approved') return 'missing';
  return {
    input: editedInput(row) ?? proposed,
    annotate: (result, ran) => withApproval(result, row, ran),
  };
}

function announceStart({ ctx, run, view }: StepScope, call: PlannedCall, input: JsonValue): number {
  const began = ctx.clock.now();
  const epoch = isInMemory(view) ? run.epoch : null;
  const started = startEntry(speakerOf(view.session), began, call, input, epoch);
  ctx.announcer.later(view.session.streamId, [started], 'live');
  return began;
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
  { ctx, run, view }: StepScope,
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
function recordUnrun(step: StepScope, call: PlannedCall, result: CallResult): Promise<Done> {
  return recordResult(step, { call, result, began: step.ctx.clock.now(), usage: [] });
}
