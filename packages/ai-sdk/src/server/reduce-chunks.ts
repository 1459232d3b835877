import type { JsonValue } from '@helix-agents/core';
import type { ChatChunk } from '../ui/chunks.ts';
import { isToolPart, type ChatPart } from '../ui/messages.ts';

type Mutable = { -readonly [Key in string]: unknown } & { type: string };

/** The message parts that `useChat` makes of these chunks, for the first render of a page. */
export class ReducedMessage {
  readonly #parts: Mutable[] = [];
  readonly #blocks = new Map<string, Mutable>();
  readonly #calls = new Map<string, Mutable>();
  readonly #onChange: (part: object) => void;

  /** `onChange` is called for each part that is new or changes. */
  constructor(onChange: (part: object) => void = () => undefined) {
    this.#onChange = onChange;
  }

  get parts(): readonly ChatPart[] {
    return this.#parts as ChatPart[];
  }

  add(chunks: Iterable<ChatChunk>): void {
    for (const chunk of chunks) {
      if ('data' in chunk) this.#addData(chunk);
      else if ('toolCallId' in chunk) this.#applyToCall(chunk);
      else this.#apply(chunk);
    }
  }

  /** Removes the first part. No later chunk may change it. */
  takeFirst(): ChatPart | undefined {
    const part = this.#parts.shift();
    for (const known of [this.#blocks, this.#calls])
      for (const [id, one] of known) if (one === part) known.delete(id);
    return part as ChatPart | undefined;
  }

  #push(part: Mutable): void {
    this.#parts.push(part);
    this.#onChange(part);
  }

  #change(part: Mutable, change: object): void {
    Object.assign(part, change);
    this.#onChange(part);
  }

  #addData({ type, id, data, transient }: DataChunk): void {
    if (transient) return;
    const isKnown = (part: Mutable): boolean => part.type === type && part['id'] === id;
    const known = id === undefined ? undefined : this.#parts.find(isKnown);
    if (known) this.#change(known, { data });
    else this.#push({ type, ...(id !== undefined && { id }), data });
  }

  #apply(chunk: Exclude<ChatChunk, CallChunk | DataChunk>): void {
    if ('id' in chunk) {
      this.#applyToBlock(chunk);
      return;
    }
    switch (chunk.type) {
      case 'start-step':
        this.#push({ type: 'step-start' });
        return;
      case 'reset-step':
        this.#parts.length = this.#parts.findLastIndex(({ type }) => type === 'step-start') + 1;
        return;
      case 'tool-approval-response':
        this.#applyDecision(chunk);
        return;
      // They concern the message as a whole, not its parts.
      case 'start':
      case 'finish-step':
      case 'finish':
      case 'abort':
      case 'error':
    }
  }

  #applyDecision({ approvalId: id, approved, reason }: DecisionChunk): void {
    const asked = ({ approval }: Mutable): boolean =>
      (approval as { id?: string } | undefined)?.id === id;
    const call = [...this.#calls.values()].find(asked);
    const approval = { id, approved, ...(reason !== undefined && { reason }) };
    if (call) this.#change(call, { state: 'approval-responded', approval });
  }

  #applyToBlock(chunk: BlockChunk): void {
    const { id } = chunk;
    const [kind = '', what] = chunk.type.split('-');
    const block = this.#blocks.get(id);
    if (what === 'start') {
      const opened = { type: kind, text: '', state: 'streaming' };
      this.#blocks.set(id, opened);
      this.#push(opened);
    } else if (block && 'delta' in chunk)
      this.#change(block, { text: `${String(block['text'])}${chunk.delta}` });
    else if (block) this.#change(block, { state: 'done' });
  }

  #applyToCall(chunk: CallChunk): void {
    const { toolCallId } = chunk;
    const change = changeOf(chunk);
    const known = this.#calls.get(toolCallId);
    if (known && this.#parts.includes(known)) {
      this.#change(known, change);
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
    this.#calls.set(toolCallId, part);
    this.#push(part);
  }
}

type DataChunk = Extract<ChatChunk, { readonly data: JsonValue }>;
type CallChunk = Extract<ChatChunk, { readonly toolCallId: string }>;
type DecisionChunk = Extract<ChatChunk, { type: 'tool-approval-response' }>;
type BlockChunk = Extract<ChatChunk, { readonly type: `${'text' | 'reasoning'}-${string}` }>;

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

/** An input that is still being written is left out of the first render: the stream sends it again. */
export function isUnfinishedInput(part: ChatPart): boolean {
  return isToolPart(part) && part.state === 'input-streaming';
}
