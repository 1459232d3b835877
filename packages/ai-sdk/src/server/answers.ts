import {
  describeFault,
  InvalidRequestError,
  toJsonValue,
  type SubmitToolResult,
} from '@helix-agents/core';
import type { ClientCopy } from './catch-up.ts';
import type { ChatPost, PostedPart } from './chat-request.ts';
import type { ChatDependencies } from './dependencies.ts';
import { openCallIds } from './resume-if-answered.ts';

export interface TakenAnswers {
  /** How many answers the message held. */
  readonly count: number;
  readonly copy: ClientCopy;
}

export interface AnswerOptions {
  readonly answeredBy?: string | undefined;
  readonly seen?: number | undefined;
  readonly checkAnswer?: ((answer: SubmitToolResult) => Promise<void>) | undefined;
  readonly maxResultBytes?: number | undefined;
}

/** Most answers in one message: more than a step has calls. */
export const MAX_ANSWERS = 50;

/**
 * Submits the answers in the last step of a posted message. Only the store decides which calls are open: an answer to a
 * call that it did not issue, or that was answered before, has no effect.
 */
export async function takeAnswers(
  deps: ChatDependencies,
  post: ChatPost,
  options: AnswerOptions,
): Promise<TakenAnswers> {
  const { executor } = deps;
  const { parts } = post.last;
  const lastStep = parts.findLastIndex(({ type }) => type === 'step-start');
  const answers = parts.slice(lastStep + 1).flatMap((part) => answerIn(part, post) ?? []);
  if (answers.length > MAX_ANSWERS) throw tooMany(answers.length);
  const counted = options.checkAnswer ? await countedAnswers(deps, post.sessionId, answers) : null;
  const refused = new Map<string, string>();
  for (const answer of answers) {
    if (!executor.submitToolResult) {
      throw new InvalidRequestError([
        { path: 'messages', message: 'this executor takes no answers: it has no submitToolResult' },
      ]);
    }
    if (counted?.has(answer)) await options.checkAnswer?.(answer);
    const { answeredBy, maxResultBytes } = options;
    const outcome = await executor.submitToolResult(answer, {
      ...(answeredBy !== undefined && { answeredBy }),
      ...(maxResultBytes !== undefined && { maxResultBytes }),
    });
    if (outcome.status === 'unknown_tool_call') {
      refused.set(answer.toolCallId, `Nobody waits for this answer (${outcome.reason}).`);
    } else if (outcome.status === 'expired') {
      refused.set(answer.toolCallId, 'The time to answer is over.');
    }
  }
  return { count: answers.length, copy: copyOf(parts, refused, options.seen) };
}

/**
 * The answers that a rate limit counts: those to open calls. A page sends its earlier answers again with each new one; a
 * message without a new answer counts once.
 */
async function countedAnswers(
  deps: ChatDependencies,
  sessionId: string,
  answers: readonly SubmitToolResult[],
): Promise<ReadonlySet<SubmitToolResult>> {
  if (answers.length === 0) return new Set();
  const open = await openCallIds(deps, sessionId);
  const waited = answers.filter(({ toolCallId }) => open.has(toolCallId));
  return new Set(waited.length > 0 ? waited : answers.slice(0, 1));
}

function tooMany(count: number): InvalidRequestError {
  const message = `the last step holds ${count} answers; send at most ${MAX_ANSWERS} at once`;
  return new InvalidRequestError([{ path: 'messages', message }]);
}

function copyOf(
  parts: readonly PostedPart[],
  refused: ReadonlyMap<string, string>,
  seen: number | undefined,
): ClientCopy {
  const calls = new Map<string, { settled: boolean }>();
  for (const { toolCallId, state, providerExecuted } of parts) {
    if (toolCallId === undefined) continue;
    const settled =
      state === 'output-denied' || (state?.startsWith('output-') === true && !!providerExecuted);
    calls.set(toolCallId, { settled });
  }
  const steps = parts.filter(({ type }) => type === 'step-start').length;
  return { steps, calls, refused, ...(seen !== undefined && { seen }) };
}

/** Null for a part without an answer from this client. */
function answerIn(part: PostedPart, post: ChatPost): SubmitToolResult | null {
  const { type, toolCallId, state, approval } = part;
  if (!toolCallId || !(type.startsWith('tool-') || type === 'dynamic-tool')) return null;
  if (state === 'approval-responded') return approvalIn(toolCallId, approval, post);
  // A call that ran on the server is never an answer, even if the posted history claims so.
  if (part.providerExecuted || part.preliminary || approval) return null;
  const address = { kind: 'client-tool-result', sessionId: post.sessionId, toolCallId } as const;
  if (state === 'output-error') return { ...address, error: part.errorText || 'The tool failed.' };
  if (state !== 'output-available') return null;
  const converted = toJsonValue(part.output ?? null);
  if (converted.ok) return { ...address, result: converted.value };
  throw new InvalidRequestError([{ path: toolCallId, message: describeFault(converted) }]);
}

function approvalIn(
  toolCallId: string,
  approval: PostedPart['approval'],
  { sessionId, toolInputs }: ChatPost,
): SubmitToolResult | null {
  if (approval?.approved === undefined) return null;
  const { id: approvalId, approved, reason } = approval;
  const input = Object.hasOwn(toolInputs, toolCallId) ? toolInputs[toolCallId] : undefined;
  return {
    kind: 'approval-response',
    sessionId,
    toolCallId,
    approvalId,
    approved,
    ...(reason && { reason }),
    ...(approved && input !== undefined && { input }),
  };
}
