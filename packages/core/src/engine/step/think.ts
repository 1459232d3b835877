import { toolsOf, type AgentTools } from '../../define/effective-tools.ts';
import { FINISH_TOOL_NAME } from '../../define/finish-tool.ts';
import { toJsonSchema } from '../../define/json-schema.ts';
import type { AgentConfig } from '../../define/types.ts';
import { HelixError } from '../../errors/helix-error.ts';
import { HookScope } from '../hooks/fire-hooks.ts';
import type { JsonValue } from '../../json.ts';
import type { LLMToolCall, StepResult } from '../../llm/adapter.ts';
import type { AssistantMessage, ToolCall } from '../../messages/message.ts';
import type { StateWrite } from '../../state/state-write.ts';
import type { PlannedCall, SessionRow, StepRecord } from '../../store/rows.ts';
import { frozenCopy } from '../../util/frozen-copy.ts';
import { sameJson } from '../../util/same-json.ts';
import type { LoopRun, ThinkResult } from '../../loop/host.ts';
import { callIdsFor } from '../rows/call-ids.ts';
import { callIdTaken, findTakenId } from '../rows/taken-call-id.ts';
import { callModel, type ModelAnswer, type ModelInput } from './call-model.ts';
import { discardEntry } from '../announce/chunk-entries.ts';
import { classifyCalls, type RawCall } from './classify.ts';
import { currentState } from './current-state.ts';
import type { EngineContext, OperationScope } from '../context.ts';
import { decideStep, runnableAtOnce } from './decide-step.ts';
import { failRun } from './fail.ts';
import { stopThinking } from './obey-interrupt.ts';
import { announceOpenCalls, recordStep } from './record-step.ts';
import { requireAgent } from '../require-agent.ts';
import { shownInput } from '../rows/parsed-input.ts';
import { owns } from '../rows/session-status.ts';
import { ownStepView, readStepView, type StepView } from '../rows/step-view.ts';
import { withChildren } from '../rows/child-view.ts';
import type { SessionTranscript } from '../memory/transcript-cache.ts';
import { isRepeat } from '../rows/write.ts';

const STALE: ThinkResult = { ok: false, code: 'stale' };
const NOTHING: ThinkResult = { ok: true, calls: [] };

/**
 * Asks the model and records its answer as the plan of the step, every call classified and every human call opened, in
 * one write. A repeat finds the plan and asks nobody.
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
  const tools = toolsOf(agent);
  const input = modelInput(agent, view, transcript, tools, state);
  const hooks = new HookScope(ctx, session, { state, signal: scope.signal });
  if (hooks.has('beforeLLMCall'))
    await hooks.fire('beforeLLMCall', { messages: input.messages, tools: input.tools });
  const asked = ctx.clock.now();
  // The attempt before this one may have streamed an answer that it could not record.
  if (repeats) {
    const discarded = discardEntry(session, asked, `attempt_${scope.attempt}`);
    await ctx.announcer.announce(session.streamId, [discarded]);
  }
  const answer = await callModel(ctx, session, { input, idOf }, scope);
  if (!answer.ok) return unanswered(ctx, run, answer);
  const { result } = answer;
  if (hooks.has('afterLLMCall'))
    await hooks.fire('afterLLMCall', { result, durationMs: ctx.clock.now() - asked });
  const raw = rawCalls(result, session.stepId, idOf);
  const calls = await classifyCalls(ctx, session, tools.byName, raw, scope.signal);
  const message = assistantMessage(result, raw, calls, ctx.newId());
  const record = stepRecord(agent, { answer: result, message, calls, writes: hooks.writes });
  const recorded = await recordStep({ ctx, run, view }, agent, record, result);
  return recorded
    ? { ok: true, calls: runnableAtOnce(record.calls) }
    : refusedStep(ctx, run, record.calls);
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
  transcript: SessionTranscript,
  tools: AgentTools,
  state: JsonValue,
): ModelInput {
  const prompt = agent.systemPrompt as string | ((state: unknown) => string);
  const system = typeof prompt === 'function' ? prompt(state) : prompt;
  return {
    messages: transcript.prompt(system),
    tools: tools.forModel.slice(),
    config: agent.llmConfig,
    agentId: view.session.sessionId,
    agentType: view.session.agentType,
    ...(agent.outputSchema ? { outputSchema: toJsonSchema(agent.outputSchema) } : {}),
  };
}

type Answer = Exclude<StepResult, { type: 'error' }>;

/** The calls of an answer in order. Structured output counts as a `__finish__` call. */
function rawCalls(
  answer: Answer,
  stepId: number,
  idOf: (id: string, index: number) => string,
): RawCall[] {
  const calls: LLMToolCall[] = [];
  if (answer.type === 'structured_output') {
    calls.push({ id: `finish-${stepId}`, name: FINISH_TOOL_NAME, arguments: answer.output });
  }
  if (answer.type === 'tool_calls') {
    calls.push(...answer.toolCalls);
    for (const call of answer.subAgentCalls ?? []) {
      calls.push({ id: call.id, name: `subagent__${call.agentType}`, arguments: call.input });
    }
  }
  return calls.map((call, index) => ({ index, callId: idOf(call.id, index), call }));
}

function assistantMessage(
  answer: Answer,
  raw: readonly RawCall[],
  planned: readonly PlannedCall[],
  id: string,
): AssistantMessage {
  const content = answer.type === 'structured_output' ? '' : (answer.content ?? '');
  const thinking = answer.type === 'structured_output' ? undefined : answer.thinking;
  const toolCalls = raw.map((call, position) => toToolCall(call, planned[position]));
  return frozenCopy<AssistantMessage>({
    role: 'assistant',
    id,
    content,
    ...(toolCalls.length > 0 ? { toolCalls } : {}),
    ...(thinking === undefined ? {} : { thinking }),
    ...(answer.providerMetadata ? { providerMetadata: answer.providerMetadata } : {}),
  });
}

interface StepParts extends Pick<StepRecord, 'message' | 'calls'> {
  readonly answer: Answer;
  readonly writes: readonly StateWrite[];
}

/** Frozen, as it may be kept in memory instead of being read back from a store. */
function stepRecord(agent: AgentConfig, { answer, message, calls, writes }: StepParts): StepRecord {
  // With an output schema only `__finish__` (or a finishWith tool) can end the run.
  const stop = answer.type === 'text' && answer.shouldStop && !agent.outputSchema;
  // The input of a call is the same object as in the message.
  const planned = calls.map((call, position) =>
    call.result || call.child
      ? frozenCopy(call)
      : Object.freeze({ ...call, input: message.toolCalls?.[position]?.arguments ?? call.input }),
  );
  const record = { message, calls: Object.freeze(planned), stop };
  return Object.freeze(writes.length > 0 ? { ...record, writes: frozenCopy(writes) } : record);
}

function toToolCall({ callId, call }: RawCall, planned: PlannedCall | undefined): ToolCall {
  const { id, name, arguments: input } = call;
  const shown = shownInput({ raw: input, parsed: planned?.parsed });
  return {
    id: callId,
    name,
    arguments: input,
    ...(sameJson(shown, input) ? {} : { parsedArguments: shown }),
    ...(id === callId ? {} : { providerId: id }),
  };
}
