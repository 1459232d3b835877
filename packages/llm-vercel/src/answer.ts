import {
  toJsonValue,
  type JsonObject,
  type LLMCallbacks,
  type StepResult,
} from '@helix-agents/core';
import { keepMetadata, packLayout, type LayoutPart } from './assistant-layout.ts';
import { CallCollector, toToolCall, type CollectedCall } from './call-collector.ts';
import type { Finish } from './finish.ts';
import type { ProviderOptions } from './language-model.ts';
import type { ToolCallPart } from './stream-part.ts';
import { toVerbatim, type OwnPart } from './verbatim.ts';

const BETWEEN_THOUGHTS = '\n\n';

interface TextBlock {
  readonly type: 'text' | 'reasoning';
  text: string;
  metadata: ProviderOptions | undefined;
}

type Piece = TextBlock | { readonly type: 'call'; readonly call: CollectedCall } | VerbatimPart;

interface VerbatimPart {
  readonly type: 'verbatim';
  readonly part: JsonObject;
}

/** One answer as it grows: told to the callbacks piece by piece, and in the end a step result. */
export class Answer {
  readonly #callbacks: LLMCallbacks;
  readonly #pieces: Piece[] = [];
  readonly #open = new Map<string, TextBlock>();
  readonly #calls = new CallCollector();
  /** Something was told: it has to be withdrawn if this answer fails. */
  started = false;

  constructor(callbacks: LLMCallbacks) {
    this.#callbacks = callbacks;
  }

  begin(type: TextBlock['type'], id: string, metadata: ProviderOptions | undefined): void {
    this.#begin(type, id, metadata);
  }

  append(
    type: TextBlock['type'],
    id: string,
    delta: string,
    metadata: ProviderOptions | undefined,
  ): Promise<void> | void {
    const block = this.#open.get(`${type}:${id}`) ?? this.#begin(type, id, undefined);
    block.metadata = metadata ?? block.metadata;
    if (delta === '') return;
    block.text += delta;
    this.started = true;
    return type === 'text'
      ? this.#callbacks.onTextDelta(delta)
      : this.#callbacks.onThinking(delta, false);
  }

  end(
    type: TextBlock['type'],
    id: string,
    metadata: ProviderOptions | undefined,
  ): Promise<void> | void {
    const block = this.#open.get(`${type}:${id}`);
    if (!block) return;
    this.#open.delete(`${type}:${id}`);
    block.metadata = metadata ?? block.metadata;
    if (type === 'reasoning' && block.text !== '') {
      return this.#callbacks.onThinking(block.text, true);
    }
  }

  beginCall(id: string, name: string, metadata: ProviderOptions | undefined): Promise<void> | void {
    return this.#announce(this.#calls.begin(id, name, metadata));
  }

  appendCall(id: string, delta: string): Promise<void> | void {
    const call = this.#calls.latest(id);
    if (!call || delta === '') return;
    call.text += delta;
    return this.#callbacks.onToolInputDelta({ index: call.index, delta });
  }

  async completeCall(part: ToolCallPart): Promise<void> {
    const input = typeof part.input === 'string' ? part.input : JSON.stringify(part.input ?? {});
    const { toolCallId, toolName, providerMetadata } = part;
    const { call, began } = this.#calls.complete(toolCallId, toolName, input, providerMetadata);
    if (began) return;
    await this.#announce(call);
    if (input !== '') await this.#callbacks.onToolInputDelta({ index: call.index, delta: input });
  }

  /** A part the next turn hands back as it came: the provider alone knows what it means. */
  keep(part: OwnPart): void {
    const kept = toJsonValue(toVerbatim(part));
    if (kept.ok) this.#pieces.push({ type: 'verbatim', part: kept.value as JsonObject });
  }

  get isEmpty(): boolean {
    return this.#calls.calls.length === 0 && this.#text('text', '') === '';
  }

  toStepResult(finish: Finish): StepResult {
    const content = this.#text('text', '');
    const thinking = this.#text('reasoning', BETWEEN_THOUGHTS);
    const providerMetadata = packLayout(this.#layout());
    const rest = {
      stopReason: finish.stopReason,
      ...(thinking !== '' && { thinking }),
      ...(finish.usage && { usage: finish.usage }),
      ...(providerMetadata && { providerMetadata }),
    };
    const toolCalls = this.#calls.calls.map(toToolCall);
    if (toolCalls.length > 0) {
      return { type: 'tool_calls', ...(content !== '' && { content }), toolCalls, ...rest };
    }
    // A provider that pauses within its own tools goes on when it is called again.
    return { type: 'text', content, shouldStop: finish.raw !== 'pause_turn', ...rest };
  }

  #begin(type: TextBlock['type'], id: string, metadata: ProviderOptions | undefined): TextBlock {
    const block: TextBlock = { type, text: '', metadata };
    this.#pieces.push(block);
    this.#open.set(`${type}:${id}`, block);
    return block;
  }

  #announce(call: CollectedCall): Promise<void> | void {
    this.#pieces.push({ type: 'call', call });
    this.started = true;
    const { index, id, name } = call;
    return this.#callbacks.onToolInputStart({ index, id, name });
  }

  #text(type: TextBlock['type'], between: string): string {
    const texts = this.#pieces.flatMap((piece) => (piece.type === type ? [piece.text] : []));
    return texts.filter((text) => text !== '').join(between);
  }

  #layout(): LayoutPart[] {
    const ends = { text: 0, reasoning: 0 };
    const parts: LayoutPart[] = [];
    for (const piece of this.#pieces) {
      if (piece.type === 'verbatim') {
        parts.push(piece);
        continue;
      }
      const metadata = keepMetadata(piece.type === 'call' ? piece.call.metadata : piece.metadata);
      const kept = metadata ? { metadata } : {};
      if (piece.type === 'call') {
        parts.push({ type: 'call', id: piece.call.id, ...kept });
      } else if (piece.text !== '' || metadata) {
        const gap = piece.type === 'reasoning' && piece.text !== '' && ends.reasoning > 0;
        const start = ends[piece.type] + (gap ? BETWEEN_THOUGHTS.length : 0);
        const end = start + piece.text.length;
        ends[piece.type] = end;
        parts.push({ type: piece.type, span: [start, end], ...kept });
      }
    }
    return parts;
  }
}
