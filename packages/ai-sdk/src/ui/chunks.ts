import type { JsonValue } from '@helix-agents/core';

interface ToolName {
  readonly toolCallId: string;
  readonly toolName: string;
  /** Set when the server runs the call or has its result. Clients do not run such calls. */
  readonly providerExecuted?: boolean;
  readonly toolMetadata?: { readonly [key: string]: JsonValue };
}

/** Chunks that every client from `ai` 6 on understands. Others are sent only to clients that ask for them. */
export type CommonChatChunk =
  | { readonly type: 'start'; readonly messageId: string }
  | { readonly type: 'start-step' }
  | { readonly type: 'finish-step' }
  | { readonly type: 'text-start' | 'text-end'; readonly id: string }
  | { readonly type: 'text-delta'; readonly id: string; readonly delta: string }
  | { readonly type: 'reasoning-start' | 'reasoning-end'; readonly id: string }
  | { readonly type: 'reasoning-delta'; readonly id: string; readonly delta: string }
  | ({ readonly type: 'tool-input-start' } & ToolName)
  | {
      readonly type: 'tool-input-delta';
      readonly toolCallId: string;
      readonly inputTextDelta: string;
    }
  | ({ readonly type: 'tool-input-available'; readonly input: JsonValue } & ToolName)
  | ({
      readonly type: 'tool-input-error';
      readonly input: JsonValue;
      readonly errorText: string;
    } & ToolName)
  | {
      readonly type: 'tool-approval-request';
      readonly approvalId: string;
      readonly toolCallId: string;
    }
  | {
      readonly type: 'tool-output-available';
      readonly toolCallId: string;
      readonly output: JsonValue;
      readonly providerExecuted: true;
    }
  | {
      readonly type: 'tool-output-error';
      readonly toolCallId: string;
      readonly errorText: string;
      readonly providerExecuted: true;
    }
  | { readonly type: 'tool-output-denied'; readonly toolCallId: string }
  | {
      readonly type: `data-${string}`;
      readonly data: JsonValue;
      readonly id?: string;
      readonly transient?: true;
    }
  | { readonly type: 'error'; readonly errorText: string }
  | { readonly type: 'abort'; readonly reason?: string }
  | { readonly type: 'finish'; readonly finishReason: 'stop' | 'tool-calls' | 'other' };

/** Chunks of `ai` 7. An older client fails on them, so they are sent only with the capability header. */
export type LaterChatChunk =
  | {
      readonly type: 'tool-approval-response';
      readonly approvalId: string;
      readonly approved: boolean;
      readonly reason?: string;
    }
  | { readonly type: 'reset-step' };

export type ChatChunk = CommonChatChunk | LaterChatChunk;
