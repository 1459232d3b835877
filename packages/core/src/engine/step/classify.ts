import { executionOf, isGated } from '../../define/approval-gate.ts';
import { FINISH_TOOL_NAME } from '../../define/finish-tool.ts';
import type { Tool } from '../../define/types.ts';
import type { LLMToolCall } from '../../llm/adapter.ts';
import type { CallResult, PlannedCall, SessionRow, ToolExecution } from '../../store/rows.ts';
import { frozenCopy } from '../../util/frozen-copy.ts';
import { failure, invalidInput } from '../rows/answer-result.ts';
import { race, RunStopped, type Raced } from '../race.ts';
import type { EngineContext } from '../context.ts';
import { childSessionId } from '../rows/child-session-id.ts';
import { NOT_SHOWABLE, parseInput } from '../rows/parsed-input.ts';
import { inToolTime, timeOf } from './in-tool-time.ts';

export interface RawCall {
  readonly index: number;
  readonly callId: string;
  readonly call: LLMToolCall;
}

/** Decides once how each call of an answer is carried out. The plan stores it; nothing decides it again. */
export async function classifyCalls(
  ctx: EngineContext,
  session: SessionRow,
  tools: ReadonlyMap<string, Tool>,
  calls: readonly RawCall[],
  signal: AbortSignal,
): Promise<readonly PlannedCall[]> {
  return Promise.all(calls.map((raw) => classifyCall(ctx, session, tools, raw, signal)));
}

async function classifyCall(
  ctx: EngineContext,
  session: SessionRow,
  tools: ReadonlyMap<string, Tool>,
  raw: RawCall,
  signal: AbortSignal,
): Promise<PlannedCall> {
  const { call } = raw;
  const tool = tools.get(call.name);
  if (!tool) {
    const known = [...tools.keys()].join(', ') || 'none';
    const message = `There is no tool "${call.name}". Available tools: ${known}.`;
    return settled(raw, failure('tool_not_found', message));
  }
  if (call.invalidArguments !== undefined) {
    const message = `The input of ${call.name} is not valid JSON.`;
    return settled(raw, failure('tool_input_invalid', message));
  }
  const input = await inToolTime(ctx, tool, signal, (parse) =>
    parseInput(tool, call.arguments, parse),
  );
  if ('late' in input) return settled(raw, input.late);
  if (!input.ok) return settled(raw, invalidInput(call.name, input.issues));
  const parsed = input.parsed && { parsed: input.parsed };
  if (tool.subAgent) {
    const sessionId = childSessionId(session.sessionId, session.stepId, raw.index);
    const child = { agentType: tool.subAgent.agent.name, sessionId };
    const timeoutMs = tool.subAgent.timeoutMs ?? null;
    return { ...planned(raw, 'subagent', 'retry', timeoutMs), ...parsed, child };
  }
  const gated = await needsApproval(ctx, session, tool, { raw, input: input.value }, signal);
  const kind = classOf(tool, gated);
  if (!parsed && (kind === 'client' || kind === 'approval')) {
    return settled(raw, invalidInput(call.name, [NOT_SHOWABLE]));
  }
  return { ...planned(raw, kind, executionOf(tool), tool.timeoutMs ?? null), ...parsed };
}

function settled(raw: RawCall, result: CallResult): PlannedCall {
  return { ...planned(raw, 'settled', 'retry', null), result };
}

function planned(
  { index, callId, call }: RawCall,
  kind: PlannedCall['class'],
  execution: ToolExecution,
  timeoutMs: number | null,
): PlannedCall {
  const { name: toolName, arguments: input } = call;
  return { index, callId, toolName, input, timeoutMs, class: kind, execution };
}

function classOf(tool: Tool, gated: boolean): PlannedCall['class'] {
  if (tool.execute === 'client') return 'client';
  if (gated) return 'approval';
  return tool.finishWith || tool.name === FINISH_TOOL_NAME ? 'finish' : 'server';
}

/** A call with its input as the schema reads it. */
interface ParsedCall {
  readonly raw: RawCall;
  readonly input: unknown;
}

type ApprovalRule = (input: unknown, context: object) => unknown;

/** Fails closed: a rule that throws, takes too long or returns anything but false asks a person. */
async function needsApproval(
  ctx: EngineContext,
  session: SessionRow,
  tool: Tool,
  { raw, input }: ParsedCall,
  signal: AbortSignal,
): Promise<boolean> {
  const rule = tool.requireApproval as unknown;
  if (typeof rule !== 'function') return isGated(tool);
  const names = { toolName: tool.name, toolCallId: raw.callId };
  const context = {
    sessionId: session.sessionId,
    agentType: session.agentType,
    toolCallId: raw.callId,
    get state() {
      return frozenCopy(session.customState);
    },
    getState: () => frozenCopy(session.customState),
  };
  const limits = { ms: timeOf(tool, ctx.limits.approvalPredicateMs), signal };
  const decide = (): unknown => (rule as ApprovalRule)(input, context);
  let raced: Raced<unknown>;
  try {
    raced = await race(ctx.clock, decide, limits);
  } catch (error) {
    ctx.logger.warn('approval.predicate_failed', { ...names, error: String(error) });
    return true;
  }
  if (raced.kind === 'stopped') throw new RunStopped('The run was stopped.');
  if (raced.kind === 'done' && typeof raced.value === 'boolean') return raced.value;
  ctx.logger.warn('approval.predicate_undecided', names);
  return true;
}
