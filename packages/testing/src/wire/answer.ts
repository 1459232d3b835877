import type { TokenCounts } from '@helix-agents/core';
import type { WireReply } from './server.ts';

/** An answer of a model, before a provider's format. */
export interface WireAnswer {
  readonly thinking?: string;
  readonly text?: readonly string[];
  readonly calls?: readonly WireCall[];
  /** Default: what fits. */
  readonly stop?: 'length' | 'filter';
}

export interface WireCall {
  readonly id: string;
  readonly name: string;
  /** The arguments as they stream. */
  readonly input: readonly string[];
}

/** How one provider speaks. */
export interface WireFormat {
  answer(answer: WireAnswer): WireReply;
  /** Begins as `answer` does, then reports an error within the stream. */
  failure(answer: WireAnswer, kind: 'overloaded' | 'server'): WireReply;
  error(status: number, message: string, headers?: { readonly [name: string]: string }): WireReply;
}

/** What every answer claims to have cost. */
export const USAGE: Required<TokenCounts> = {
  prompt: 100,
  completion: 20,
  reasoning: 5,
  cached: 60,
  total: 120,
};
/** The signature of a thought, which the provider wants back. */
export const SIGNATURE: string = 'c2lnbmF0dXJlLW9mLXRoZS10aG91Z2h0';

export const event = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;
export const namedEvent = (data: {
  readonly type: string;
  readonly [key: string]: unknown;
}): string => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
