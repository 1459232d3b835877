import type { ProviderOptions } from './language-model.ts';

interface WithMetadata {
  readonly providerMetadata?: ProviderOptions;
}

interface Block extends WithMetadata {
  readonly id: string;
}

interface Delta extends Block {
  readonly delta: string;
}

type Each<Types extends string, Body> = { [T in Types]: Body & { readonly type: T } }[Types];

/** The parts of a provider's stream that matter here. Others (sources, raw chunks, pings) are skipped. */
export type StreamPart =
  | Each<'text-start' | 'reasoning-start' | 'text-end' | 'reasoning-end', Block>
  | Each<'text-delta' | 'reasoning-delta' | 'tool-input-delta', Delta>
  | (Block & {
      readonly type: 'tool-input-start';
      readonly toolName: string;
      readonly providerExecuted?: boolean;
    })
  | ToolCallPart
  | ToolResultPart
  | CustomPart
  | { readonly type: 'stream-start'; readonly warnings?: readonly unknown[] }
  | FinishPart
  | { readonly type: 'error'; readonly error: unknown };

export interface ToolCallPart extends WithMetadata {
  readonly type: 'tool-call';
  readonly toolCallId: string;
  readonly toolName: string;
  /** JSON text. */
  readonly input: string;
  readonly providerExecuted?: boolean;
}

/** Of a tool the provider ran itself. */
export interface ToolResultPart extends WithMetadata {
  readonly type: 'tool-result';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly result: unknown;
  readonly isError?: boolean;
  readonly preliminary?: boolean;
}

export interface CustomPart extends WithMetadata {
  readonly type: 'custom';
  readonly kind: string;
}

export interface FinishPart extends WithMetadata {
  readonly type: 'finish';
  /** A word in v2, the unified word and the provider's own since v3. */
  readonly finishReason: string | { readonly unified: string; readonly raw?: string | undefined };
  readonly usage?: unknown;
}
