import { toJsonSchema } from '../../define/json-schema.ts';
import type { AgentConfig } from '../../define/types.ts';
import { HelixError } from '../../errors/helix-error.ts';
import { isOutageCode } from '../../errors/store-outage.ts';
import { HookScope } from '../hooks/fire-hooks.ts';
import type { PlannedCall, SessionRow } from '../../store/rows.ts';
import type { LoopRun, ThinkResult } from '../../loop/host.ts';
import {
  bringCapabilities,
  type Brought,
  type StepInput,
} from '../capabilities/bring-capabilities.ts';
import { callIdsFor } from '../rows/call-ids.ts';
import { callIdTaken, findTakenId } from '../rows/taken-call-id.ts';
import { callModel, type ModelAnswer, type ModelInput } from './call-model.ts';
import { discardEntry } from '../announce/chunk-entries.ts';
import { classifyCalls } from './classify.ts';
import { currentState } from './current-state.ts';
import type { EngineContext, OperationScope } from '../context.ts';
import { decideStep, runnableAtOnce } from './decide-step.ts';
import { failRun } from './fail.ts';
import { stopThinking } from './obey-interrupt.ts';
import { announceOpenCalls, recordStep } from './record-step.ts';
import { assistantMessage, rawCalls, stepRecord } from './step-record.ts';
import { requireAgent } from '../require-agent.ts';
import { owns } from '../rows/session-status.ts';
import { withPins } from '../rows/pins.ts';
import { ownStepView, readStepView, type StepScope, type StepView } from '../rows/step-view.ts';
import { withChildren } from '../rows/child-view.ts';
import { isRepeat } from '../rows/write.ts';

const STALE: ThinkResult = { ok: false, code: 'stale' };
const NOTHING: ThinkResult = { ok: true, calls: [] };

/**
 * Asks the model and records its answer as the plan of the step, every call classified and every human call opened, in
 * one write. A repeat finds the plan and does not ask the model again.
 */
export async function think(
  ctx: EngineContext,
  run: LoopRun,
  scope: OperationScope,
): Promise<ThinkResult> {
  const repeats = isRepeat(ctx, run, scope);
  const view = await ownStepView(ctx, run);
  if (!view || view.session.epoch !== run.epoch) return STALE;
  // An earlier attempt has failed the run, and its reply was lost. The settle that follows finds the ended session and ends the loop.
  if (!owns(view.session, run)) return NOTHING;
  if (view.plan) return repeat(ctx, view);
  // The settle that follows obeys it.
  if (view.interrupt) return NOTHING;

  const { session } = view;
  const agent = requireAgent(ctx, session);
  const transcript = await ctx.transcripts.read(view.store, run, session.messageCount);
  if (transcript.isEmpty) return unanswered(ctx, run, nothingToAnswer(session));
  const idOf = await callIdsFor(session, transcript);
  const state = await currentState(ctx, agent, session, scope.signal);
  const parts = { transcript, state, signal: scope.signal };
  const brought = await bringOrFail({ ctx, run, view }, agent, parts);
  if ('error' in brought) return unanswered(ctx, run, brought);
  const input = modelInput(agent, view, brought, parts);
  const hooks = new HookScope(ctx, session, { state, signal: scope.signal });
  if (hooks.has('beforeLLMCall'))
    await hooks.fire('beforeLLMCall', { messages: input.messages, tools: input.tools });
  const asked = ctx.clock.now();
  // The attempt before this one may have streamed an answer that it could not record.
  if (repeats) {
    const discarded = discardEntry(session, asked, `attempt_${scope.attempt}`);
    await ctx.announcer.announce(session.streamId, [discarded]);
  }
  const answer = await callModel(ctx, session, { input, idOf, hooks }, scope);
  if (!answer.ok) return unanswered(ctx, run, answer);
  const { result } = answer;
  if (hooks.has('afterLLMCall'))
    await hooks.fire('afterLLMCall', { result, durationMs: ctx.clock.now() - asked });
  const raw = rawCalls(result, session.stepId, idOf);
  const calls = await classifyCalls(ctx, session, brought.tools.byName, raw, scope.signal);
  const message = assistantMessage(result, raw, calls, ctx.newId());
  const { writes } = hooks;
  const record = stepRecord(agent, {
    answer: result,
    message,
    calls,
    writes,
    notes: brought.notes,
    run: session.turn,
  });
  if (!(await recordStep({ ctx, run, view }, agent, { record, brought }, result)))
    return refusedStep(ctx, run, record.calls);
  if (brought.toPin.length > 0) transcript.pins = withPins(brought.pins, brought.toPin);
  return { ok: true, calls: runnableAtOnce(record.calls) };
}

/** What the agent's capabilities bring to the step; the error that the step fails with. */
async function bringOrFail(
  step: StepScope,
  agent: AgentConfig,
  parts: StepInput,
): Promise<Brought | Extract<ModelAnswer, { stopped: false }>> {
  try {
    return await bringCapabilities(step, agent, parts);
  } catch (error) {
    if (!HelixError.isInstance(error) || isOutageCode(error.code)) throw error;
    return { ok: false, stopped: false, error };
  }
}

/** Providers refuse a transcript without messages. */
function nothingToAnswer({ sessionId }: SessionRow): Extract<ModelAnswer, { ok: false }> {
  const error = new HelixError({
    code: 'provider_transcript_invalid',
    message: `Session ${sessionId} has no message to answer: send one with execute.`,
  });
  return { ok: false, stopped: false, error };
}

async function unanswered(
  ctx: EngineContext,
  run: LoopRun,
  answer: Extract<ModelAnswer, { ok: false }>,
): Promise<ThinkResult> {
  ctx.memory?.invalidate(run);
  if (!answer.stopped) await failRun(ctx, run, answer.error);
  else if (answer.stopped === 'interrupted') await stopThinking(ctx, run, answer.said);
  return NOTHING;
}

/** The record missed: another attempt's plan stands, the run is no longer ours, or a call has the id of another one. */
async function refusedStep(
  ctx: EngineContext,
  run: LoopRun,
  calls: readonly PlannedCall[],
): Promise<ThinkResult> {
  const view = await readStepView(ctx, run);
  if (!view || !owns(view.session, run)) return STALE;
  if (view.plan) return repeat(ctx, view);
  const taken = await findTakenId(view, calls);
  if (taken !== null) {
    await failRun(ctx, run, callIdTaken(view.session, taken));
    return NOTHING;
  }
  throw new Error(`The plan of step ${view.session.stepId} was refused although the step is open.`);
}

async function repeat(ctx: EngineContext, view: StepView): Promise<ThinkResult> {
  await announceOpenCalls(ctx, view.session, view.calls);
  const decision = decideStep(await withChildren(ctx, view));
  return { ok: true, calls: decision.kind === 'dispatch' ? decision.calls : [] };
}

function modelInput(
  agent: AgentConfig,
  view: StepView,
  { tools, prompts, notes }: Brought,
  { transcript, state }: StepInput,
): ModelInput {
  const prompt = agent.systemPrompt as string | ((state: unknown) => string);
  const own = typeof prompt === 'function' ? prompt(state) : prompt;
  const system = prompts.length === 0 ? own : [own, ...prompts].filter(Boolean).join('\n\n');
  const messages = transcript.prompt(system);
  return {
    messages: notes.length === 0 ? messages : [...messages, ...notes],
    tools: tools.forModel.slice(),
    config: agent.llmConfig,
    agentId: view.session.sessionId,
    agentType: view.session.agentType,
    ...(agent.outputSchema ? { outputSchema: toJsonSchema(agent.outputSchema) } : {}),
  };
}
