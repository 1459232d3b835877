import type { JsonObject } from '../../json.ts';
import type { Message } from '../../messages/message.ts';

/** What a strategy may look at. */
export interface CacheRequest {
  /** System message first. */
  readonly messages: readonly Message[];
  readonly tools: readonly { readonly name: string }[];
  readonly provider?: string;
  readonly modelId?: string;
}

/** A position up to which the provider may cache the prompt, marked by options of the provider. */
export interface CacheBreakpoint {
  readonly at: { readonly message: number } | { readonly tool: number };
  readonly providerOptions: JsonObject;
}

/** Where to mark a prompt. A function of the request alone: the same transcript is marked the same in every process. */
export interface CacheStrategy {
  readonly name: string;
  findBreakpoints(request: CacheRequest): readonly CacheBreakpoint[];
}

/** The options each message and tool carries, by position. */
export interface AppliedCacheResult {
  readonly messageOptions: ReadonlyMap<number, JsonObject>;
  readonly toolOptions: ReadonlyMap<number, JsonObject>;
}
