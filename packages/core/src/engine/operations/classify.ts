import { parseWith } from '../../define/parse-with.ts';
import { FINISH_TOOL_NAME } from '../../define/finish-tool.ts';
import type { Tool } from '../../define/types.ts';
import type { LLMToolCall } from '../../llm/adapter.ts';
import type { CallResult, PlannedCall, SessionRow, ToolExecution } from '../../store/rows.ts';
import { failure } from './answer-result.ts';
import { DONE, sleep } from './clock.ts';
import type { EngineContext } from './context.ts';
import { childSessionId } from './session-ids.ts';

export interface RawCall {
  readonly index: number;
  readonly callId: string;
  readonly call: LLMToolCall;
}

/** Decides once how each call of an answer is carried out. The plan stores it; nothing decides it again. */
export async function classifyCall(
  ctx: EngineContext,
  session: SessionRow,
  tools: ReadonlyMap<string, Tool>,
  { index, callId, call }: RawCall,
): Promise<PlannedCall> {
  const base = { index, callId, toolName: call.name, input: call.arguments, timeoutMs: null };
  const settled = (result: CallResult): PlannedCall => ({
    ...base,
    class: 'settled',
    execution: 'retry',
    result,
  });
  const tool = tools.get(call.name);
  if (!tool) {
    const known = [...tools.keys()].join(', ') || 'none';
    return settled(
      failure('tool_not_found', `There is no tool "${call.name}". Available tools: ${known}.`),
    );
  }
  if (call.invalidArguments !== undefined) {
    return settled(failure('tool_input_invalid', `The input of ${call.name} is not valid JSON.`));
  }
  const parsed = await parseWith(tool.inputSchema, call.arguments);
  if (!parsed.ok) {
    const issues = parsed.issues
      .map((issue) => `${issue.path || 'input'}: ${issue.message}`)
      .join('; ');
    return settled(failure('tool_input_invalid', `Invalid input for ${call.name}: ${issues}`));
  }
  if (tool.subAgent) {
    const sessionId = childSessionId(session.sessionId, session.stepId, index);
    return {
      ...base,
      class: 'subagent',
      execution: 'retry',
      timeoutMs: tool.subAgent.timeoutMs ?? null,
      child: { agentType: tool.subAgent.agent.name, sessionId },
    };
  }
  const gated = await needsApproval(ctx, session, tool, parsed.value, callId);
  const execution: ToolExecution = tool.execution ?? (gated ? 'once' : 'retry');
  const timeoutMs = tool.timeoutMs ?? null;
  return { ...base, class: classOf(tool, gated), execution, timeoutMs };
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
  const rule = tool.requireApproval as boolean | undefined | ApprovalRule;
  return typeof rule === 'function'
    ? askRule(ctx, session, tool, rule, input, toolCallId)
    : rule === true;
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
    getState: () => session.customState,
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
