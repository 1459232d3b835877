import {
  FINISH_TOOL_NAME,
  isSubAgentTool,
  outcomeOfToolMessage,
  SUBAGENT_TOOL_PREFIX,
  type AssistantMessage,
  type JsonValue,
  type Message,
  type ToolCall,
  type ToolMessage,
} from '@helix-agents/core';
import type { ChatMessage, ChatPart, ChatToolPart } from '../ui/messages.ts';
import { STOPPED_TEXT } from '../ui/withdrawn.ts';
import { isShownUserMessage, replyId, userMessageId } from './turn.ts';

export interface TranscriptOptions {
  /** False leaves the models' reasoning out. True by default. */
  readonly includeReasoning?: boolean;
  /** False shows tool calls without what they came to. True by default. */
  readonly includeToolResults?: boolean;
  /** For user messages that were stored without an id. */
  readonly generateId?: () => string;
  /** What sub-agents did, by the call that started them. */
  readonly subAgents?: ReadonlyMap<string, SubAgentTranscript>;
}

export interface SubAgentTranscript {
  readonly sessionId: string;
  readonly agentType: string;
  readonly messages: readonly Message[];
  readonly subAgents: ReadonlyMap<string, SubAgentTranscript>;
}

/** Stored messages as chat messages: everything between two user messages is one assistant message. */
export function toChatMessages(
  messages: readonly Message[],
  options: TranscriptOptions = {},
): ChatMessage[] {
  const results = resultsIn(messages);
  const shown: ChatMessage[] = [];
  let user = 'start';
  for (const [position, message] of messages.entries()) {
    if (message.role === 'user' && isShownUserMessage(message)) {
      user = message.id ?? options.generateId?.() ?? userMessageId(message, position);
      shown.push({ id: user, role: 'user', parts: userParts(message) });
    } else if (message.role === 'assistant') {
      const last = shown.at(-1);
      const parts = stepParts(message, results, options);
      if (last?.role === 'assistant') last.parts.push(...parts);
      else shown.push({ id: replyId(user), role: 'assistant', parts });
    }
  }
  return shown;
}

function resultsIn(messages: readonly Message[]): Map<string, ToolMessage> {
  return new Map(
    messages.flatMap((one) => (one.role === 'tool' ? [[one.toolCallId, one] as const] : [])),
  );
}

function userParts({ content, files = [] }: Extract<Message, { role: 'user' }>): ChatPart[] {
  return [
    ...files.map(({ data: url, mediaType, filename }) => ({
      type: 'file' as const,
      url,
      mediaType,
      ...(filename !== undefined && { filename }),
    })),
    ...(content ? [{ type: 'text' as const, text: content, state: 'done' as const }] : []),
  ];
}

function stepParts(
  message: AssistantMessage,
  results: ReadonlyMap<string, ToolMessage>,
  options: TranscriptOptions,
): ChatPart[] {
  const { thinking, content, toolCalls = [], stopped } = message;
  const parts: ChatPart[] = [];
  if (thinking && options.includeReasoning !== false) {
    parts.push({ type: 'reasoning', text: thinking, state: 'done' });
  }
  if (content) parts.push({ type: 'text', text: content, state: 'done' });
  if (stopped) parts.push({ type: STOPPED_TEXT, data: {} });
  for (const call of toolCalls) {
    const found = options.includeToolResults === false ? undefined : results.get(call.id);
    parts.push(...callParts(call, found, options.subAgents ?? new Map(), undefined));
  }
  return parts.length > 0 ? [{ type: 'step-start' }, ...parts] : [];
}

type Owner = { readonly agentType: string; readonly agentId: string } | undefined;

function callParts(
  call: ToolCall,
  result: ToolMessage | undefined,
  subAgents: ReadonlyMap<string, SubAgentTranscript>,
  owner: Owner,
): ChatPart[] {
  if (call.name === FINISH_TOOL_NAME) {
    const output = result?.success === true && !owner;
    return output ? [{ type: 'data-output', id: 'output', data: inputOf(call) }] : [];
  }
  if (isSubAgentTool(call.name)) return subAgentParts(call, result, subAgents.get(call.id));
  return [toolPart(call, result, owner)];
}

function subAgentParts(
  call: ToolCall,
  result: ToolMessage | undefined,
  child: SubAgentTranscript | undefined,
): ChatPart[] {
  const agentType = child?.agentType ?? call.name.slice(SUBAGENT_TOOL_PREFIX.length);
  const sessionId = child?.sessionId ?? '';
  const data = { toolCallId: call.id, agentType, sessionId, ...subAgentOutcome(result) };
  const own: ChatPart = { type: 'data-subagent', id: call.id, data };
  if (!child) return [own];
  const results = resultsIn(child.messages);
  const owner = { agentType, agentId: sessionId };
  const calls = child.messages.flatMap((one) =>
    one.role === 'assistant' ? (one.toolCalls ?? []) : [],
  );
  return [
    own,
    ...calls.flatMap((one) => callParts(one, results.get(one.id), child.subAgents, owner)),
  ];
}

function subAgentOutcome(result: ToolMessage | undefined): { [key: string]: JsonValue } {
  if (!result) return { status: 'running' };
  const outcome = outcomeOfToolMessage(result);
  return outcome.success
    ? { status: 'completed', output: outcome.value }
    : { status: 'failed', error: outcome.error.message };
}

/** As people were shown it while it ran. */
function inputOf({ arguments: raw, parsedArguments = raw }: ToolCall): JsonValue {
  return parsedArguments;
}

function toolPart(call: ToolCall, result: ToolMessage | undefined, owner: Owner): ChatToolPart {
  const base = {
    type: `tool-${call.name}`,
    toolCallId: call.id,
    ...(owner && { toolMetadata: { ...owner } }),
  } as const;
  const input = result?.executedInput ?? result?.editedInput ?? inputOf(call);
  if (!result) return { ...base, state: 'input-available', input };
  const outcome = outcomeOfToolMessage(result);
  const server = { providerExecuted: true };
  if (outcome.success)
    return { ...base, state: 'output-available', input, output: outcome.value, ...server };
  const { code, message } = outcome.error;
  if (code !== 'tool_approval_denied') {
    return { ...base, state: 'output-error', input, errorText: message, ...server };
  }
  // The transcript does not keep the approval's own id.
  const approval = { id: `approval-${call.id}`, approved: false, reason: message } as const;
  return { ...base, state: 'output-denied', input, approval };
}
