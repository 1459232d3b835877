import type { SubmitToolResult } from '../../define/submit-schema.ts';
import { HelixError } from '../../errors/helix-error.ts';
import { NotRootSessionError } from '../../errors/request-errors.ts';
import type { OpenCallRow } from '../../store/rows.ts';
import type { AnswerCallResult, SessionStore } from '../../store/session-store.ts';
import { logLate, logTimeout } from '../rows/call-timeout.ts';
import type { EngineContext } from '../context.ts';
import {
  ownerOf,
  plainAnswer,
  toAnswer,
  warnUnvalidated,
  type Answer,
} from './submitted-answer.ts';
import { callKey } from '../../store/call-key.ts';
import { rootRef } from '../../store/session-place.ts';

/** What became of a submission. Only `accepted` had an effect. */
export type SubmitOutcome =
  | { readonly status: 'accepted' }
  | { readonly status: 'already_completed' }
  | { readonly status: 'expired' }
  | { readonly status: 'unknown_tool_call'; readonly reason: UnknownCallReason };

export type UnknownCallReason = 'session_not_found' | 'call_not_found' | 'cancelled' | 'superseded';

/**
 * Stores a person's answer: one conditional write on the call's row at the root. Never runs the agent. Refusals (a child's
 * id, a kind that does not fit, a result that breaks its schema) leave the call open.
 */
export async function submitToolResult(
  ctx: EngineContext,
  submission: SubmitToolResult,
  answeredBy: string | null = null,
): Promise<SubmitOutcome> {
  try {
    return await answerOpenCall(ctx, submission, answeredBy);
  } catch (error) {
    const refused = HelixError.isInstance(error) && error.category === 'request';
    const { sessionId, toolCallId } = submission;
    // Neither accepted nor refused: the client has to send it again.
    if (!refused)
      ctx.logger.error('client_tool.submit_failed', {
        sessionId,
        toolCallId,
        error: String(error),
      });
    throw error;
  }
}

async function answerOpenCall(
  ctx: EngineContext,
  submission: SubmitToolResult,
  answeredBy: string | null,
): Promise<SubmitOutcome> {
  const { sessionId, toolCallId } = submission;
  const store = ctx.databases.of(rootRef(sessionId));
  const plain = plainAnswer(ctx, submission);
  const answer = plain ?? (await checkedAnswer(ctx, store, submission));
  if ('status' in answer) return answer;
  const key = callKey({ rootId: sessionId, toolCallId });
  const now = ctx.clock.now();
  const { submissionId } = submission;
  const sent = submissionId === undefined ? {} : { submissionId };
  const write = (what: Answer): Promise<AnswerCallResult> =>
    store.answerCall({ key, ...what, ...sent, answeredBy, now });
  let written = await write(answer);
  // Open, but of another kind than expected: check it against the row.
  if (written.found && written.row.state === 'open')
    written = await write(await toAnswer(ctx, written.row, submission));
  if (!written.found) return missing(ctx, submission);
  if (!written.taken) return noteLate(ctx, written.row, refused(ctx, submission, written.row, now));
  if (plain?.answer.kind === 'result' && !ctx.agents.find(ownerOf(written.row)))
    warnUnvalidated(ctx, written.row);
  ctx.logger.debug?.('client_tool.submitted', {
    sessionId,
    toolCallId,
    hasError: answer.answer.kind === 'error',
  });
  return { status: 'accepted' };
}

async function checkedAnswer(
  ctx: EngineContext,
  store: SessionStore,
  submission: SubmitToolResult,
): Promise<Answer | SubmitOutcome> {
  const { sessionId, toolCallId } = submission;
  const [row] = await store.readCalls(sessionId, callKey({ rootId: sessionId, toolCallId }));
  if (!row) return missing(ctx, submission);
  if (row.state !== 'open') return noteLate(ctx, row, standing(ctx, submission, row));
  return toAnswer(ctx, row, submission);
}

/** Closes an open call for an operator: its owner sees an `aborted` result. Never runs the agent. */
export async function cancelOpenCall(
  ctx: EngineContext,
  { sessionId, toolCallId }: { readonly sessionId: string; readonly toolCallId: string },
  answeredBy: string | null = null,
): Promise<SubmitOutcome> {
  const now = ctx.clock.now();
  const written = await ctx.databases.of(rootRef(sessionId)).answerCall({
    key: callKey({ rootId: sessionId, toolCallId }),
    outcome: 'cancelled',
    answer: { kind: 'none' },
    answeredBy,
    now,
  });
  if (!written.found) return missing(ctx, { sessionId, toolCallId });
  if (!written.taken) return refused(ctx, { sessionId, toolCallId }, written.row, now);
  ctx.logger.warn('client_tool.aborted', { sessionId, toolCallId, toolName: written.row.toolName });
  return { status: 'accepted' };
}

interface NamedCall {
  readonly sessionId: string;
  readonly toolCallId: string;
  readonly submissionId?: string | undefined;
}

/** There is no such call: the session is a child, does not exist, or has no call of that id. */
async function missing(ctx: EngineContext, call: NamedCall): Promise<SubmitOutcome> {
  const { sessionId } = call;
  const rootId = await ctx.findRoot(sessionId);
  if (rootId !== null && rootId !== sessionId) throw new NotRootSessionError(sessionId, rootId);
  return unknown(ctx, call, rootId === null ? 'session_not_found' : 'call_not_found');
}

/** How far the store's clock may be behind this one. */
const SKEW_MS = 1_000;

/** The call was closed before, or this very write closed it as expired: then the time-out is logged here. */
function refused(
  ctx: EngineContext,
  submission: NamedCall,
  row: OpenCallRow,
  now: number,
): SubmitOutcome {
  const isFresh = row.state === 'answered' && (row.answeredAt ?? 0) > now - SKEW_MS;
  if (row.outcome === 'expired' && isFresh) logTimeout(ctx, row);
  return standing(ctx, submission, row);
}

/** Somebody did answer, after the deadline. */
function noteLate(ctx: EngineContext, row: OpenCallRow, outcome: SubmitOutcome): SubmitOutcome {
  if (outcome.status === 'expired') logLate(ctx, row);
  return outcome;
}

/** The call has an outcome already: it decides what the client gets. */
function standing(ctx: EngineContext, submission: NamedCall, row: OpenCallRow): SubmitOutcome {
  // Its retention is over, although no sweep has deleted it yet.
  if (row.state === 'settled' && row.purgeAt !== null && row.purgeAt <= ctx.clock.now())
    return unknown(ctx, submission, 'call_not_found');
  if (row.submissionId !== null && row.submissionId === submission.submissionId)
    return { status: 'accepted' };
  switch (row.outcome) {
    case 'expired':
      return { status: 'expired' };
    case 'cancelled':
    case 'superseded':
      return unknown(ctx, submission, row.outcome);
    case 'answered':
    case 'approved':
    case 'denied':
    case null:
      return { status: 'already_completed' };
  }
}

function unknown(
  ctx: EngineContext,
  submission: NamedCall,
  detail: UnknownCallReason,
): SubmitOutcome {
  const { sessionId, toolCallId } = submission;
  const reason = LOGGED_REASONS[detail];
  ctx.logger.warn('client_tool.submit_unknown', { sessionId, toolCallId, reason, detail });
  return { status: 'unknown_tool_call', reason: detail };
}

/** The words that alerts look for. */
const LOGGED_REASONS: { readonly [Detail in UnknownCallReason]: string } = {
  session_not_found: 'root_state_not_found',
  call_not_found: 'ownership_missing_toolcall',
  cancelled: 'ownership_missing_toolcall',
  superseded: 'ownership_missing_toolcall',
};
