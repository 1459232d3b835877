import {
  InvalidRequestError,
  type SubmitOptions,
  type SubmitOutcome,
  type SubmitToolResultInput,
} from '@helix-agents/core';
import { findUnknownKey, unknownKeyText, type KnownKeys } from '@helix-agents/core/host';

/** The call to answer: an item of `inbox()`, or the ids of a call. `sessionId` is the root's. */
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
  /** The input that the tool runs with, instead of the one the model gave. */
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
    decision: { readonly approved: boolean; readonly input?: unknown },
    { reason, answeredBy }: DenyOptions,
  ): Promise<SubmitOutcome> =>
    submit(
      {
        kind: 'approval-response',
        ...addressOf(call),
        ...decision,
        ...(reason !== undefined && { reason }),
      },
      answeredBy === undefined ? {} : { answeredBy },
    );
  return {
    approve: async (call, given) => {
      const { input, ...options } = optionsOf('approve', given);
      return decide(call, { approved: true, ...(input !== undefined && { input }) }, options);
    },
    deny: async (call, given) => decide(call, { approved: false }, optionsOf('deny', given)),
    answer: async (call, result, given) =>
      submit(
        { kind: 'client-tool-result', ...addressOf(call), result: result ?? null },
        optionsOf('answer', given),
      ),
    fail: async (call, error, given) =>
      submit({ kind: 'client-tool-result', ...addressOf(call), error }, optionsOf('fail', given)),
  };
}

interface AnswerBags {
  readonly approve: ApproveOptions;
  readonly deny: DenyOptions;
  readonly answer: AnswerOptions;
  readonly fail: AnswerOptions;
}

const BAGS: { readonly [Call in keyof AnswerBags]: KnownKeys<AnswerBags[Call]> } = {
  approve: { input: true, reason: true, answeredBy: true },
  deny: { reason: true, answeredBy: true },
  answer: { answeredBy: true },
  fail: { answeredBy: true },
};

const OTHER_NAMES = {
  args: 'input',
  arguments: 'input',
  edited: 'input',
  comment: 'reason',
  note: 'reason',
  message: 'reason',
  by: 'answeredBy',
  user: 'answeredBy',
  userId: 'answeredBy',
};

function optionsOf<Call extends keyof AnswerBags>(
  call: Call,
  given: AnswerBags[Call] | null = {},
): AnswerBags[Call] {
  const known = BAGS[call];
  const options = given ?? {};
  if (typeof options !== 'object') {
    const message = `the options must be an object with some of ${Object.keys(known).join(', ')}`;
    throw new InvalidRequestError([{ path: '', message }]);
  }
  const unknown = findUnknownKey(options, known, OTHER_NAMES);
  if (!unknown) return options;
  const isKnown = unknown.meant !== null && Object.hasOwn(known, unknown.meant);
  const meant = isKnown ? unknown.meant : null;
  const message = unknownKeyText({ key: unknown.key, meant }, `helix.${call}`, known);
  throw new InvalidRequestError([{ path: unknown.key, message }]);
}

function addressOf(call: CallAddress): { sessionId: string; toolCallId: string } {
  const { sessionId, rootId, toolCallId } = (call ?? {}) as Partial<
    Record<'sessionId' | 'rootId' | 'toolCallId', unknown>
  >;
  const root = sessionId ?? rootId;
  if (typeof root === 'string' && typeof toolCallId === 'string')
    return { sessionId: root, toolCallId };
  const message = 'give a call of helix.inbox(), or { sessionId, toolCallId }';
  throw new InvalidRequestError([{ path: 'call', message }]);
}
