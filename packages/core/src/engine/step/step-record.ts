/** The plan of a step, made of the model's answer. */
import { FINISH_TOOL_NAME } from '../../define/finish-tool.ts';
import type { AgentConfig } from '../../define/types.ts';
import type { LLMToolCall, StepResult } from '../../llm/adapter.ts';
import type { AssistantMessage, ToolCall } from '../../messages/message.ts';
import type { PlannedCall, StepRecord } from '../../store/rows.ts';
import { frozenCopy } from '../../util/frozen-copy.ts';
import { sameJson } from '../../util/same-json.ts';
import { shownInput } from '../rows/parsed-input.ts';
import type { RawCall } from './classify.ts';

type Answer = Exclude<StepResult, { type: 'error' }>;

/** The calls of an answer in order. Structured output counts as a `__finish__` call. */
export function rawCalls(
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

export function assistantMessage(
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

interface StepParts extends Required<
  Pick<StepRecord, 'message' | 'calls' | 'writes' | 'notes' | 'run'>
> {
  readonly answer: Answer;
}

/** Frozen, as it may be kept in memory instead of being read back from a store. */
export function stepRecord(
  agent: AgentConfig,
  { answer, message, calls, writes, notes, run }: StepParts,
): StepRecord {
  // With an output schema only `__finish__` (or a finishWith tool) can end the run.
  const stop = answer.type === 'text' && answer.shouldStop && !agent.outputSchema;
  // The input of a call is the same object as in the message.
  const planned = calls.map((call, position) =>
    call.result || call.child
      ? frozenCopy(call)
      : Object.freeze({ ...call, input: message.toolCalls?.[position]?.arguments ?? call.input }),
  );
  return Object.freeze({
    message,
    calls: Object.freeze(planned),
    stop,
    run,
    ...(writes.length > 0 && { writes: frozenCopy(writes) }),
    ...(notes.length > 0 && { notes }),
  });
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
