import type { SubmitOptions, SubmitOutcome, SubmitToolResultInput } from '@helix-agents/core';

/** Which call is answered: one of `inbox()`, or a call by its ids. `sessionId` is the root's. */
export type CallAddress = { readonly toolCallId: string } & (
  | { readonly sessionId: string }
  | { readonly rootId: string }
);

export interface AnswerOptions {
  /** Who answers, kept with the answer. */
  readonly answeredBy?: string;
}

export interface DenyOptions extends AnswerOptions {
  /** The model reads it. */
  readonly reason?: string;
}

export interface ApproveOptions extends DenyOptions {
  /** What the tool runs with instead of the input it was called with. */
  readonly input?: unknown;
}

type Submit = (
  submission: SubmitToolResultInput,
  options?: SubmitOptions,
) => Promise<SubmitOutcome>;

/** The answers that a person can give, as submissions. */
export interface Answers {
  approve(call: CallAddress, options?: ApproveOptions): Promise<SubmitOutcome>;
  deny(call: CallAddress, options?: DenyOptions): Promise<SubmitOutcome>;
  answer(call: CallAddress, result: unknown, options?: AnswerOptions): Promise<SubmitOutcome>;
  fail(call: CallAddress, error: string, options?: AnswerOptions): Promise<SubmitOutcome>;
}

export function createAnswers(submit: Submit): Answers {
  const decide = (
    call: CallAddress,
    decision: { readonly approved: boolean; readonly reason?: string; readonly input?: unknown },
    by: SubmitOptions,
  ): Promise<SubmitOutcome> =>
    submit({ kind: 'approval-response', ...addressOf(call), ...decision }, by);
  return {
    approve: (call, { input, ...options } = {}) =>
      decide(
        call,
        { approved: true, ...reasonOf(options), ...(input !== undefined && { input }) },
        byWhom(options),
      ),
    deny: (call, options = {}) =>
      decide(call, { approved: false, ...reasonOf(options) }, byWhom(options)),
    answer: (call, result, options = {}) =>
      submit(
        { kind: 'client-tool-result', ...addressOf(call), result: result ?? null },
        byWhom(options),
      ),
    fail: (call, error, options = {}) =>
      submit({ kind: 'client-tool-result', ...addressOf(call), error }, byWhom(options)),
  };
}

function addressOf(call: CallAddress): { sessionId: string; toolCallId: string } {
  const sessionId = 'sessionId' in call ? call.sessionId : call.rootId;
  return { sessionId, toolCallId: call.toolCallId };
}

function reasonOf({ reason }: DenyOptions): { reason?: string } {
  return reason === undefined ? {} : { reason };
}

/** Whatever else was given is looked at there, and refused. */
function byWhom({ reason: _reason, ...options }: DenyOptions): SubmitOptions {
  return options;
}
