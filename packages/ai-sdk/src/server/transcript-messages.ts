import {
  FINISH_TOOL_NAME,
  isSubAgentTool,
  outcomeOfToolMessage,
  SUBAGENT_TOOL_PREFIX,
  type AssistantMessage,
  type JsonValue,
  type Message,
  type SessionStateStore,
  type SubSessionRef,
  type ToolCall,
  type ToolMessage,
} from '@helix-agents/core';
import type { ChatPart, ChatToolPart } from '../ui/messages.ts';
import { STOPPED_TEXT } from '../ui/withdrawn.ts';
import type { MessagePiece } from './message-pieces.ts';
import { transcriptSteps, type TranscriptRange, type TranscriptStep } from './transcript-steps.ts';
import { isShownUserMessage, replyId, userMessageId } from './turn.ts';

export interface TranscriptOptions {
  /** False leaves the models' reasoning out. True by default. */
  readonly includeReasoning?: boolean;
  /** False shows tool calls without their results. True by default. */
  readonly includeToolResults?: boolean;
  /** For user messages that were stored without an id. */
  readonly generateId?: () => string;
}

type TranscriptStore = Pick<SessionStateStore, 'getMessages' | 'listSubSessions' | 'sessionExists'>;

/**
 * Stored messages as chat messages: everything between two user messages is one assistant message. What sub-agents did
 * comes after the call that started them, at any depth.
 */
export async function* transcriptPieces(
  stateStore: TranscriptStore,
  sessionId: string,
  options: TranscriptOptions & TranscriptRange = {},
): AsyncGenerator<MessagePiece> {
  const children = new Children(stateStore, sessionId);
  let user = 'start';
  let isReply = false;
  for await (const step of transcriptSteps(stateStore, sessionId, options)) {
    const { message, position } = step;
    if (message.role === 'user' && isShownUserMessage(message)) {
      user = message.id ?? options.generateId?.() ?? userMessageId(message, position);
      isReply = false;
      yield { head: { id: user, role: 'user' } };
      for (const part of userParts(message)) yield { part };
    } else if (message.role === 'assistant') {
      if (!isReply) yield { head: { id: replyId(user), role: 'assistant' } };
      isReply = true;
      let begun = false;
      for await (const part of stepParts(message, step.results, children, options)) {
        if (!begun) yield { part: { type: 'step-start' } };
        begun = true;
        yield { part };
      }
    }
  }
}

/** The sessions of sub-agents that a session started, by call; listed when one is asked for. */
class Children {
  readonly #stateStore: TranscriptStore;
  readonly #sessionId: string;
  #listed: Promise<ReadonlyMap<string, SubSessionRef>> | null = null;

  constructor(stateStore: TranscriptStore, sessionId: string) {
    this.#stateStore = stateStore;
    this.#sessionId = sessionId;
  }

  /** Undefined while it has not begun. */
  async of(toolCallId: string): Promise<SubSessionRef | undefined> {
    this.#listed ??= this.#list();
    const child = (await this.#listed).get(toolCallId);
    return child && (await this.#stateStore.sessionExists(child.subSessionId)) ? child : undefined;
  }

  /** What a sub-agent called. */
  async *callsOf({ subSessionId, agentType }: SubSessionRef): AsyncGenerator<ChatPart> {
    const below = new Children(this.#stateStore, subSessionId);
    const owner = { agentType, agentId: subSessionId };
    for await (const { message, results } of transcriptSteps(this.#stateStore, subSessionId)) {
      if (message.role !== 'assistant') continue;
      for (const call of message.toolCalls ?? [])
        yield* callParts(call, results.get(call.id), below, owner);
    }
  }

  async #list(): Promise<ReadonlyMap<string, SubSessionRef>> {
    const children = await this.#stateStore.listSubSessions(this.#sessionId);
    return new Map(children.map((child) => [child.parentToolCallId, child]));
  }
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

/** Whether the message becomes a part of a chat message. */
export function isShownStep({ message, results }: TranscriptStep): boolean {
  if (message.role !== 'assistant') return false;
  const { thinking, content, stopped, toolCalls = [] } = message;
  const isShown = ({ id, name }: ToolCall): boolean =>
    name !== FINISH_TOOL_NAME || results.get(id)?.success === true;
  return Boolean(thinking) || Boolean(content) || stopped === true || toolCalls.some(isShown);
}

async function* stepParts(
  message: AssistantMessage,
  results: ReadonlyMap<string, ToolMessage>,
  children: Children,
  options: TranscriptOptions,
): AsyncGenerator<ChatPart> {
  const { thinking, content, toolCalls = [], stopped } = message;
  if (thinking && options.includeReasoning !== false)
    yield { type: 'reasoning', text: thinking, state: 'done' };
  if (content) yield { type: 'text', text: content, state: 'done' };
  if (stopped) yield { type: STOPPED_TEXT, data: {} };
  for (const call of toolCalls) {
    const found = options.includeToolResults === false ? undefined : results.get(call.id);
    yield* callParts(call, found, children, undefined);
  }
}

type Owner = { readonly agentType: string; readonly agentId: string } | undefined;

async function* callParts(
  call: ToolCall,
  result: ToolMessage | undefined,
  children: Children,
  owner: Owner,
): AsyncGenerator<ChatPart> {
  if (call.name === FINISH_TOOL_NAME) {
    if (result?.success === true && !owner)
      yield { type: 'data-output', id: 'output', data: inputOf(call) };
  } else if (isSubAgentTool(call.name)) {
    const child = await children.of(call.id);
    yield subAgentPart(call, result, child);
    if (child) yield* children.callsOf(child);
  } else yield toolPart(call, result, owner);
}

function subAgentPart(
  call: ToolCall,
  result: ToolMessage | undefined,
  child: SubSessionRef | undefined,
): ChatPart {
  const agentType = child?.agentType ?? call.name.slice(SUBAGENT_TOOL_PREFIX.length);
  const sessionId = child?.subSessionId ?? '';
  const data = { toolCallId: call.id, agentType, sessionId, ...subAgentOutcome(result) };
  return { type: 'data-subagent', id: call.id, data };
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
