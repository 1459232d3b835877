import type { JsonValue } from '@helix-agents/core';

interface ToolPartBase {
  readonly type: `tool-${string}`;
  readonly toolCallId: string;
  readonly providerExecuted?: boolean;
  readonly toolMetadata?: { readonly [key: string]: JsonValue };
}

interface Decision {
  readonly id: string;
  readonly approved: boolean;
  readonly reason?: string;
}

export type ChatToolPart = ToolPartBase &
  (
    | { readonly state: 'input-streaming'; readonly input: undefined }
    | { readonly state: 'input-available'; readonly input: JsonValue }
    | {
        readonly state: 'approval-requested';
        readonly input: JsonValue;
        readonly approval: { readonly id: string };
      }
    | {
        readonly state: 'approval-responded';
        readonly input: JsonValue;
        readonly approval: Decision;
      }
    | {
        readonly state: 'output-available';
        readonly input: JsonValue;
        readonly output: JsonValue;
        readonly approval?: Decision & { readonly approved: true };
      }
    | {
        readonly state: 'output-error';
        readonly input: JsonValue;
        readonly errorText: string;
        readonly approval?: Decision & { readonly approved: true };
      }
    | {
        readonly state: 'output-denied';
        readonly input: JsonValue;
        readonly approval: Decision & { readonly approved: false };
      }
  );

export type ChatDataPart = {
  readonly type: `data-${string}`;
  readonly id?: string;
  readonly data: JsonValue;
};

export type ChatPart =
  | { readonly type: 'step-start' }
  | { readonly type: 'text'; readonly text: string; readonly state: 'streaming' | 'done' }
  | { readonly type: 'reasoning'; readonly text: string; readonly state: 'streaming' | 'done' }
  | {
      readonly type: 'file';
      readonly url: string;
      readonly mediaType: string;
      readonly filename?: string;
    }
  | ChatToolPart
  | ChatDataPart;

/** A message as `useChat` of `ai` 6 and 7 shows it: both take it as a `UIMessage`. */
export interface ChatMessage {
  readonly id: string;
  readonly role: 'user' | 'assistant';
  readonly parts: ChatPart[];
}

/** What `data-subagent` parts hold; their id is the tool call that started the sub-agent. */
export interface SubAgentData {
  readonly toolCallId: string;
  readonly agentType: string;
  readonly sessionId: string;
  readonly status: 'running' | 'completed' | 'failed';
  readonly output?: JsonValue;
  readonly error?: string;
}

export function isToolPart(part: { readonly type: string }): part is ChatToolPart {
  return part.type.startsWith('tool-');
}
