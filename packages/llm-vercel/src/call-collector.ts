import type { JsonValue, LLMToolCall } from '@helix-agents/core';
import type { ProviderOptions } from './language-model.ts';

/** What a call without a name is called: a name that no tool has. */
const NAMELESS = 'unnamed_tool';

export interface CollectedCall {
  readonly index: number;
  readonly id: string;
  readonly name: string;
  text: string;
  metadata: ProviderOptions | undefined;
}

/**
 * The calls of one answer, in the order they began. Providers repeat ids, leave them empty, or send a call without the
 * start of its input: a call is what began, and each end belongs to the oldest open call of its id.
 */
export class CallCollector {
  readonly calls: CollectedCall[] = [];
  readonly #open = new Map<string, CollectedCall[]>();

  begin(id: string, name: string, metadata: ProviderOptions | undefined): CollectedCall {
    const call = this.#add(id, name, metadata);
    const open = this.#open.get(id);
    if (open) open.push(call);
    else this.#open.set(id, [call]);
    return call;
  }

  /** The call a piece of input belongs to, if any began. */
  latest(id: string): CollectedCall | undefined {
    return this.#open.get(id)?.at(-1);
  }

  /** Takes the whole input. `began` is false when nothing of the call was seen before. */
  complete(
    id: string,
    name: string,
    input: string,
    metadata: ProviderOptions | undefined,
  ): { readonly call: CollectedCall; readonly began: boolean } {
    const known = this.#open.get(id)?.shift();
    const call = known ?? this.#add(id, name, undefined);
    call.text = input;
    call.metadata = metadata ?? call.metadata;
    return { call, began: known !== undefined };
  }

  #add(id: string, name: string, metadata: ProviderOptions | undefined): CollectedCall {
    const index = this.calls.length;
    const call: CollectedCall = { index, id, name: name || NAMELESS, text: '', metadata };
    this.calls.push(call);
    return call;
  }
}

/** The arguments as data. Text that is no JSON is handed on as it came. */
export function toToolCall({ id, name, text }: CollectedCall): LLMToolCall {
  const { value, invalid } = parseArguments(text);
  return { id, name, arguments: value, ...(invalid && { invalidArguments: text }) };
}

/** No text means no arguments. */
export function parseArguments(text: string): {
  readonly value: JsonValue;
  readonly invalid: boolean;
} {
  if (text.trim() === '') return { value: {}, invalid: false };
  try {
    return { value: JSON.parse(text) as JsonValue, invalid: false };
  } catch {
    return { value: null, invalid: true };
  }
}
