import { useMemo, useRef } from 'react';
import type { ApprovalAnswer } from './use-approvals.ts';
import type { ToolChat } from './use-resume-client-tools.ts';

/** The part of the result of `useHelixChat` that a card needs. */
export interface CardChat extends ToolChat {
  readonly respondToApproval: (answer: ApprovalAnswer) => Promise<void>;
}

/** A tool part of a message of the chat, of either major of `ai`. */
export interface ToolPart {
  readonly type: string;
  readonly toolCallId: string;
  readonly state: string;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly errorText?: string | undefined;
  readonly providerExecuted?: boolean | undefined;
  readonly approval?: { readonly approved?: boolean; readonly reason?: string | undefined };
  readonly toolMetadata?: unknown;
}

/**
 * `preparing`: the model still writes the input. `waiting`: for a person. `sent`: answered in this page, not confirmed by the
 * server yet. `closed`: a message came instead of an answer.
 */
export type ToolCallStatus =
  | 'preparing'
  | 'waiting'
  | 'sent'
  | 'running'
  | 'done'
  | 'denied'
  | 'failed'
  | 'closed';

/** A tool call as a card shows it, and the answers that a person can give. */
export interface ToolCallCard<Input = unknown, Output = unknown> {
  readonly toolName: string;
  readonly toolCallId: string;
  readonly status: ToolCallStatus;
  /** What a waiting call asks for: a decision, or the result of a tool that the page runs. */
  readonly asks: 'approval' | 'result' | null;
  readonly input: Input | undefined;
  /** The initial value of an edit form: the model's own input where the tool's schema changes it. */
  readonly toEdit: unknown;
  readonly output: Output | undefined;
  readonly error: string | undefined;
  /** The reason that the person gave for the decision. */
  readonly reason: string | undefined;
  /** The sub-agent that calls; undefined when it is the chat's own agent. */
  readonly agentType: string | undefined;
  /** `edited`: the input to run with instead. */
  readonly approve: (edited?: unknown) => Promise<void>;
  readonly deny: (reason?: string) => Promise<void>;
  /** The result of a tool that the page runs. */
  readonly answer: (output: Output) => void;
  /** Reports that such a tool failed: the model reads why. */
  readonly fail: (errorText: string) => void;
}

type InputOf<Part> =
  Extract<Part, { readonly state: 'input-available' }> extends {
    readonly input: infer Input;
  }
    ? Input
    : unknown;
type OutputOf<Part> =
  Extract<Part, { readonly state: 'output-available' }> extends {
    readonly output: infer Output;
  }
    ? Output
    : unknown;

/**
 * The card of a tool call: an approval, a tool that a person answers in the page, or one that runs on the server.
 *
 * @example
 * const call = useToolCall(chat, part);
 * if (call.asks === 'approval') return <button onClick={() => void call.approve()}>Approve {call.toolName}</button>;
 */
export function useToolCall<Part extends ToolPart>(
  chat: CardChat,
  part: Part,
): ToolCallCard<InputOf<Part>, OutputOf<Part>> {
  const latest = useRef(chat);
  latest.current = chat;
  const message = chat.messages.findLast(({ parts }) => parts.includes(part));
  const isLast = message !== undefined && message === chat.messages.at(-1);
  const toEdit = rawInput(message?.parts ?? [], part) ?? part.input;
  return useMemo(() => {
    const { toolCallId } = part;
    const tool = part.type.slice('tool-'.length);
    const status = statusOf(part, isLast);
    return {
      toolName: tool,
      toolCallId,
      status,
      asks: status !== 'waiting' ? null : part.state === 'input-available' ? 'result' : 'approval',
      input: part.input as InputOf<Part> | undefined,
      toEdit,
      output: part.output as OutputOf<Part> | undefined,
      error: part.errorText,
      reason: reasonIn(part.approval?.reason),
      agentType: (part.toolMetadata as { readonly agentType?: string } | undefined)?.agentType,
      approve: (input) => latest.current.respondToApproval({ toolCallId, approved: true, input }),
      deny: (reason) => latest.current.respondToApproval({ toolCallId, approved: false, reason }),
      answer: (output) =>
        void latest.current.addToolOutput({
          tool: tool as never,
          toolCallId,
          output: output as never,
        }),
      fail: (errorText) =>
        void latest.current.addToolOutput({
          state: 'output-error',
          tool: tool as never,
          toolCallId,
          errorText,
        }),
    };
  }, [part, isLast, toEdit]);
}

/** The person's own words, without the sentence that the framework puts around them for the model. */
function reasonIn(text: string | undefined): string | undefined {
  return text?.replace(/^Tool call was not approved by the user[:.]?\s*/, '') || undefined;
}

/** Only the newest message can be answered: a later one has closed what the others asked. */
function statusOf(part: ToolPart, isLast: boolean): ToolCallStatus {
  const { state, providerExecuted, approval } = part;
  const open = isLast ? 'waiting' : 'closed';
  if (state === 'approval-requested') return open;
  if (state === 'input-available') return providerExecuted || approval ? 'running' : open;
  if (state === 'input-streaming') return 'preparing';
  if (state === 'output-denied') return 'denied';
  if (state === 'approval-responded' || !providerExecuted) return 'sent';
  return state === 'output-error' ? 'failed' : 'done';
}

/** A data part that is sent with a call whose schema changes the model's input. */
function rawInput(parts: readonly object[], { toolCallId }: ToolPart): unknown {
  type Beside = { readonly type: string; readonly id?: string; readonly data?: unknown };
  const beside = (parts as readonly Beside[]).find(
    ({ type, id }) => type === 'data-raw-input' && id === toolCallId,
  );
  return beside?.data;
}
