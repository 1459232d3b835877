import { executionOf, isGated } from '../../define/approval-gate.ts';
import { parseWith, type ParseResult } from '../../define/parse-with.ts';
import { FINISH_TOOL_NAME } from '../../define/finish-tool.ts';
import type { Tool } from '../../define/types.ts';
import type { LLMToolCall } from '../../llm/adapter.ts';
import type { CallResult, PlannedCall, SessionRow, ToolExecution } from '../../store/rows.ts';
import { frozenCopy } from '../../util/frozen-copy.ts';
import { ownCopy } from '../../util/own-copy.ts';
import { failure, invalidInput } from '../rows/answer-result.ts';
import { DONE, sleep } from '../clock.ts';
import type { EngineContext } from '../context.ts';
import { childSessionId } from '../rows/child-session-id.ts';

export interface RawCall {
  readonly index: number;
  readonly callId: string;
  readonly call: LLMToolCall;
}

/**
 * Decides once how each call of an answer is carried out. The plan stores it; nothing decides it again. At once, unless a
 * schema or an approval rule takes its time.
 */
export function classifyCalls(
  ctx: EngineContext,
  session: SessionRow,
  tools: ReadonlyMap<string, Tool>,
  calls: readonly RawCall[],
): readonly PlannedCall[] | Promise<readonly PlannedCall[]> {
  const decided: PlannedCall[] = [];
  const later: Promise<PlannedCall>[] = [];
  for (const raw of calls) {
    const call = classifyCall(ctx, session, tools, raw);
    if (call instanceof Promise) later.push(call);
    else decided.push(call);
  }
  if (later.length === 0) return decided;
  return Promise.all(later).then((rest) => [...decided, ...rest].sort((a, b) => a.index - b.index));
}

function classifyCall(
  ctx: EngineContext,
  session: SessionRow,
  tools: ReadonlyMap<string, Tool>,
  raw: RawCall,
): PlannedCall | Promise<PlannedCall> {
  const { call } = raw;
  const tool = tools.get(call.name);
  if (!tool) {
    const known = [...tools.keys()].join(', ') || 'none';
    return settled(
      raw,
      failure('tool_not_found', `There is no tool "${call.name}". Available tools: ${known}.`),
    );
  }
  if (call.invalidArguments !== undefined) {
    return settled(
      raw,
      failure('tool_input_invalid', `The input of ${call.name} is not valid JSON.`),
    );
  }
  const hasRule = typeof tool.requireApproval === 'function';
  const parsed = parseWith(tool.inputSchema, hasRule ? ownCopy(call.arguments) : call.arguments);
  return parsed instanceof Promise
    ? parsed.then((later) => classifyParsed(ctx, session, tool, raw, later))
    : classifyParsed(ctx, session, tool, raw, parsed);
}

function classifyParsed(
  ctx: EngineContext,
  session: SessionRow,
  tool: Tool,
  raw: RawCall,
  parsed: ParseResult,
): PlannedCall | Promise<PlannedCall> {
  if (!parsed.ok) return settled(raw, invalidInput(raw.call.name, parsed.issues));
  if (tool.subAgent) {
    const sessionId = childSessionId(session.sessionId, session.stepId, raw.index);
    const child = { agentType: tool.subAgent.agent.name, sessionId };
    return { ...planned(raw, 'subagent', 'retry', tool.subAgent.timeoutMs ?? null), child };
  }
  const gated = needsApproval(ctx, session, tool, parsed.value, raw.callId);
  return gated instanceof Promise
    ? gated.then((later) => planTool(raw, tool, later))
    : planTool(raw, tool, gated);
}

function planTool(raw: RawCall, tool: Tool, gated: boolean): PlannedCall {
  return planned(raw, classOf(tool, gated), executionOf(tool), tool.timeoutMs ?? null);
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

function needsApproval(
  ctx: EngineContext,
  session: SessionRow,
  tool: Tool,
  input: unknown,
  toolCallId: string,
): boolean | Promise<boolean> {
  const rule = tool.requireApproval as unknown;
  return typeof rule === 'function'
    ? askRule(ctx, session, tool, rule as ApprovalRule, input, toolCallId)
    : isGated(tool);
}

type ApprovalRule = (input: unknown, context: object) => unknown;

/** Fails closed: a predicate that throws, takes too long or says anything but false asks a person. */
async function askRule(
  ctx: EngineContext,
  session: SessionRow,
  tool: Tool,
  rule: ApprovalRule,
  input: unknown,
  toolCallId: string,
): Promise<boolean> {
  const context = {
    sessionId: session.sessionId,
    agentType: session.agentType,
    toolCallId,
    getState: () => frozenCopy(session.customState),
  };
  const done = new AbortController();
  try {
    const verdict = await Promise.race([
      Promise.resolve(rule(input, context)),
      sleep(ctx.clock, ctx.limits.approvalPredicateMs, done.signal).then(() => 'late'),
    ]);
    if (verdict === true || verdict === false) return verdict;
    ctx.logger.warn('approval.predicate_undecided', { toolName: tool.name, toolCallId });
    return true;
  } catch (error) {
    ctx.logger.warn('approval.predicate_failed', {
      toolName: tool.name,
      toolCallId,
      error: String(error),
    });
    return true;
  } finally {
    done.abort(DONE);
  }
}
