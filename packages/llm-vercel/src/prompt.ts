import type { JsonObject } from '@helix-agents/core';

/** One part of a message in the provider's prompt. */
export interface PromptPart {
  readonly type: string;
  readonly providerOptions?: JsonObject;
  readonly [key: string]: unknown;
}

export type PromptMessage =
  | {
      readonly role: 'system';
      readonly content: string;
      readonly providerOptions?: JsonObject;
    }
  | {
      readonly role: 'user' | 'assistant' | 'tool';
      readonly content: readonly PromptPart[];
      readonly providerOptions?: JsonObject;
    };
