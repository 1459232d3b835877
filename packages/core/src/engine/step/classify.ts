import { executionOf, isGated } from '../../define/approval-gate.ts';
import { FINISH_TOOL_NAME } from '../../define/finish-tool.ts';
import type { Tool } from '../../define/types.ts';
import type { LLMToolCall } from '../../llm/adapter.ts';
import type { CallResult, PlannedCall, SessionRow, ToolExecution } from '../../store/rows.ts';
import { frozenCopy } from '../../util/frozen-copy.ts';
import { failure, invalidInput } from '../rows/answer-result.ts';
import { DONE, sleep } from '../clock.ts';
import type { EngineContext } from '../context.ts';
import { childSessionId } from '../rows/child-session-id.ts';
import { NOT_SHOWABLE, parseInput } from '../rows/parsed-input.ts';

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
): Promise<readonly PlannedCall[]> {
  return Promise.all(calls.map((raw) => classifyCall(ctx, session, tools, raw)));
}

async function classifyCall(
  ctx: EngineContext,
  session: SessionRow,
  tools: ReadonlyMap<string, Tool>,
  raw: RawCall,
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
  const input = await parseInput(tool, call.arguments);
  if (!input.ok) return settled(raw, invalidInput(call.name, input.issues));
  const parsed = input.parsed && { parsed: input.parsed };
  if (tool.subAgent) {
    const sessionId = childSessionId(session.sessionId, session.stepId, raw.index);
    const child = { agentType: tool.subAgent.agent.name, sessionId };
    const timeoutMs = tool.subAgent.timeoutMs ?? null;
    return { ...planned(raw, 'subagent', 'retry', timeoutMs), ...parsed, child };
  }
  const gated = await needsApproval(ctx, session, tool, { raw, input: input.value });
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
  const done = new AbortController();
  try {
    const verdict = await Promise.race([
      Promise.resolve((rule as ApprovalRule)(input, context)),
      sleep(ctx.clock, ctx.limits.approvalPredicateMs, done.signal).then(() => 'late'),
    ]);
    if (verdict === true || verdict === false) return verdict;
    ctx.logger.warn('approval.predicate_undecided', names);
    return true;
  } catch (error) {
    ctx.logger.warn('approval.predicate_failed', { ...names, error: String(error) });
    return true;
  } finally {
    done.abort(DONE);
  }
}
