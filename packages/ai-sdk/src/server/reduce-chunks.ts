import type { JsonValue } from '@helix-agents/core';
import type { ChatChunk } from '../ui/chunks.ts';
import { isToolPart, type ChatPart } from '../ui/messages.ts';

type Mutable = { -readonly [Key in string]: unknown } & { type: string };

/** The parts a client has after it was sent these chunks: what `useChat` makes of them, as data for a page to begin with. */
export class ReducedMessage {
  readonly #parts: Mutable[] = [];
  readonly #blocks = new Map<string, Mutable>();
  readonly #calls = new Map<string, Mutable>();

  get parts(): ChatPart[] {
    return this.#parts as ChatPart[];
  }

  add(chunks: Iterable<ChatChunk>): void {
    for (const chunk of chunks) {
      if ('data' in chunk) addData(this.#parts, chunk);
      else if ('toolCallId' in chunk) applyToCall(this.#parts, this.#calls, chunk);
      else apply(this.#parts, this.#blocks, this.#calls, chunk);
    }
  }
}

type DataChunk = Extract<ChatChunk, { readonly data: JsonValue }>;
type CallChunk = Extract<ChatChunk, { readonly toolCallId: string }>;

function addData(parts: Mutable[], { type, id, data, transient }: DataChunk): void {
  if (transient) return;
  const known = id !== undefined && parts.find((part) => part.type === type && part['id'] === id);
  if (known) known['data'] = data;
  else parts.push({ type, ...(id !== undefined && { id }), data });
}

function apply(
  parts: Mutable[],
  blocks: Map<string, Mutable>,
  calls: Map<string, Mutable>,
  chunk: Exclude<ChatChunk, CallChunk | DataChunk>,
): void {
  if ('id' in chunk) {
    applyToBlock(parts, blocks, chunk);
    return;
  }
  switch (chunk.type) {
    case 'start-step':
      parts.push({ type: 'step-start' });
      return;
    case 'reset-step':
      parts.length = parts.findLastIndex(({ type }) => type === 'step-start') + 1;
      return;
    case 'tool-approval-response':
      applyDecision(calls, chunk);
      return;
    // Of the message as a whole, not of its parts.
    case 'start':
    case 'finish-step':
    case 'finish':
    case 'abort':
    case 'error':
  }
}

function applyDecision(
  calls: Map<string, Mutable>,
  { approvalId: id, approved, reason }: Extract<ChatChunk, { type: 'tool-approval-response' }>,
): void {
  const asked = ({ approval }: Mutable): boolean =>
    (approval as { id?: string } | undefined)?.id === id;
  const call = [...calls.values()].find(asked);
  const approval = { id, approved, ...(reason !== undefined && { reason }) };
  if (call) Object.assign(call, { state: 'approval-responded', approval });
}

function applyToBlock(
  parts: Mutable[],
  blocks: Map<string, Mutable>,
  chunk: Extract<ChatChunk, { readonly type: `${'text' | 'reasoning'}-${string}` }>,
): void {
  const { id } = chunk;
  const [kind = '', what] = chunk.type.split('-');
  const block = blocks.get(id);
  if (what === 'start') {
    const opened = { type: kind, text: '', state: 'streaming' };
    blocks.set(id, opened);
    parts.push(opened);
  } else if (block && 'delta' in chunk) block['text'] = `${String(block['text'])}${chunk.delta}`;
  else if (block) block['state'] = 'done';
}

function applyToCall(parts: Mutable[], calls: Map<string, Mutable>, chunk: CallChunk): void {
  const { toolCallId } = chunk;
  const change = changeOf(chunk);
  const known = calls.get(toolCallId);
  if (known && parts.includes(known)) {
    Object.assign(known, change);
    return;
  }
  if (!('toolName' in chunk)) return;
  const { toolName, toolMetadata } = chunk;
  const part = {
    type: `tool-${toolName}`,
    toolCallId,
    ...(toolMetadata && { toolMetadata }),
    ...change,
  };
  calls.set(toolCallId, part);
  parts.push(part);
}

function changeOf(chunk: CallChunk): object {
  const server =
    'providerExecuted' in chunk && chunk.providerExecuted ? { providerExecuted: true } : {};
  switch (chunk.type) {
    case 'tool-input-start':
      return { state: 'input-streaming', input: undefined, ...server };
    case 'tool-input-delta':
      return {};
    case 'tool-input-available':
      return { state: 'input-available', input: chunk.input, ...server };
    case 'tool-input-error':
      return { state: 'output-error', input: chunk.input, errorText: chunk.errorText, ...server };
    case 'tool-approval-request':
      return { state: 'approval-requested', approval: { id: chunk.approvalId } };
    case 'tool-output-available':
      return { state: 'output-available', output: chunk.output, ...server };
    case 'tool-output-error':
      return { state: 'output-error', errorText: chunk.errorText, ...server };
    case 'tool-output-denied':
      return { state: 'output-denied' };
  }
}

/** Nothing of this is worth beginning with: the stream sends it again. */
export function isUnfinishedInput(part: ChatPart): boolean {
  return isToolPart(part) && part.state === 'input-streaming';
}
