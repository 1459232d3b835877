import { parseWith } from '../../define/parse-with.ts';
import type { SubmitToolResult } from '../../define/submit-schema.ts';
import type { Tool } from '../../define/types.ts';
import { HelixError } from '../../errors/helix-error.ts';
import {
  InvalidRequestError,
  InvalidResultError,
  NotRootSessionError,
} from '../../errors/request-errors.ts';
import type { Issue } from '../../errors/issue.ts';
import type { JsonValue } from '../../json.ts';
import type { CallAnswer, OpenCallRow } from '../../store/rows.ts';
import type { AnswerCall, AnswerCallResult, SessionStore } from '../../store/session-store.ts';
import { logTimeout } from '../rows/call-timeout.ts';
import type { EngineContext, SessionOfAgent } from '../context.ts';
import { underRoot } from '../require-agent.ts';
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
    // Neither accepted nor refused: whoever sent it has to send it again.
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
  const write = (what: Answer): Promise<AnswerCallResult> =>
    store.answerCall({ key, ...what, answeredBy, now });
  let written = await write(answer);
  // Open, but not what it was taken for: the row says what is wrong, if anything is.
  if (written.found && written.row.state === 'open')
    written = await write(await toAnswer(ctx, written.row, submission));
  if (!written.found) return missing(ctx, submission);
  if (!written.taken) return refused(ctx, submission, written.row, now);
  if (plain?.answer.kind === 'result' && !ctx.agents.find(ownerOf(written.row)))
    warnUnvalidated(ctx, written.row);
  ctx.logger.debug?.('client_tool.submitted', {
    sessionId,
    toolCallId,
    hasError: answer.answer.kind === 'error',
  });
  return { status: 'accepted' };
}

type Answer = Pick<AnswerCall, 'outcome' | 'answer' | 'only'>;
type ApprovalResponse = Extract<SubmitToolResult, { kind: 'approval-response' }>;

/** An answer that can be written unseen: there is nothing in it to be checked that the write does not check. */
function plainAnswer(ctx: EngineContext, submission: SubmitToolResult): Answer | null {
  const error = errorAnswer(submission);
  if (error) return error;
  if (submission.kind === 'client-tool-result')
    return ctx.agents.mayCheckResults() ? null : { ...resultAnswer(submission), only: CLIENT };
  if (submission.input !== undefined) return null;
  const { approvalId } = submission;
  const only = { kind: 'approval', ...(approvalId !== undefined && { approvalId }) } as const;
  return { ...decision(submission), only };
}

async function checkedAnswer(
  ctx: EngineContext,
  store: SessionStore,
  submission: SubmitToolResult,
): Promise<Answer | SubmitOutcome> {
  const { sessionId, toolCallId } = submission;
  const [row] = await store.readCalls(sessionId, callKey({ rootId: sessionId, toolCallId }));
  if (!row) return missing(ctx, submission);
  if (row.state !== 'open') return standing(ctx, submission, row);
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
}

/** No such call at this session: say whether the session is another one's child, unknown, or only the call. */
async function missing(ctx: EngineContext, call: NamedCall): Promise<SubmitOutcome> {
  const { sessionId } = call;
  const rootId = await ctx.findRoot(sessionId);
  if (rootId !== null && rootId !== sessionId) throw new NotRootSessionError(sessionId, rootId);
  return unknown(ctx, call, rootId === null ? 'session_not_found' : 'call_not_found');
}

/** How far the clock of the store may be behind. */
const SKEW_MS = 1_000;

/** The write found the call closed, or late: then it closed it as expired, and nobody else says so. */
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

/** Somebody or something was first: say by its outcome. */
function standing(ctx: EngineContext, submission: NamedCall, row: OpenCallRow): SubmitOutcome {
  // Its retention is over; only no sweep has deleted it yet.
  if (row.state === 'settled' && row.purgeAt !== null && row.purgeAt <= ctx.clock.now())
    return unknown(ctx, submission, 'call_not_found');
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
  reason: UnknownCallReason,
): SubmitOutcome {
  const { sessionId, toolCallId } = submission;
  ctx.logger.warn('client_tool.submit_unknown', { sessionId, toolCallId, reason });
  return { status: 'unknown_tool_call', reason };
}

async function toAnswer(
  ctx: EngineContext,
  row: OpenCallRow,
  submission: SubmitToolResult,
): Promise<Answer> {
  const error = errorAnswer(submission);
  if (error) return error;
  if (submission.kind === 'approval-response') {
    if (row.kind !== 'approval')
      throw misfit('kind', `${row.toolCallId} waits for a result, not for an approval`);
    if (submission.approvalId !== undefined && submission.approvalId !== row.approvalId) {
      throw misfit('approvalId', 'it is not the one of the open call');
    }
    const { input } = submission;
    if (!submission.approved || input === undefined) return decision(submission);
    await validate(ctx, row, input as JsonValue, (tool) => tool.inputSchema);
    const { outcome, answer } = decision(submission);
    return { outcome, answer: { ...answer, input: input as JsonValue } as CallAnswer };
  }
  if (row.kind === 'approval')
    throw misfit('kind', `${row.toolCallId} waits for an approval-response`);
  const answer = resultAnswer(submission);
  await validate(ctx, row, answer.answer.value, (tool) => tool.outputSchema);
  return answer;
}

const CLIENT = { kind: 'client' } as const;

function resultAnswer(submission: SubmitToolResult): Answer & {
  readonly answer: { readonly kind: 'result'; readonly value: JsonValue };
} {
  const value = ('result' in submission ? submission.result : null) as JsonValue;
  return { outcome: 'answered', answer: { kind: 'result', value } };
}

/** An error closes a call of any kind, without executing it. */
function errorAnswer(submission: SubmitToolResult): Answer | null {
  if (!('error' in submission) || submission.error === undefined) return null;
  return { outcome: 'answered', answer: { kind: 'error', error: submission.error } };
}

function decision({ approved, reason }: ApprovalResponse): Answer {
  const said = reason === undefined ? {} : { reason };
  return approved
    ? { outcome: 'approved', answer: { kind: 'approved', ...said } }
    : { outcome: 'denied', answer: { kind: 'denied', ...said } };
}

function misfit(path: string, why: string): InvalidRequestError {
  return new InvalidRequestError([{ path, message: why }]);
}

/** Checks a value against the owner's tool. A tool or agent that is gone cannot refuse an answer. */
async function validate(
  ctx: EngineContext,
  row: OpenCallRow,
  value: JsonValue,
  schemaOf: (tool: Tool) => Tool['outputSchema'],
): Promise<void> {
  const owner = ownerOf(row);
  const agent = await underRoot(ctx, owner, async () => ctx.agents.find(owner));
  if (!agent) warnUnvalidated(ctx, row);
  const tool = agent?.tools?.find((candidate) => candidate.name === row.toolName);
  const schema = tool && schemaOf(tool);
  if (!schema) return;
  const parsed = await parseWith(schema, value);
  if (parsed.ok) return;
  const issues: readonly Issue[] = parsed.issues;
  ctx.logger.warn('client_tool.validation_failed', {
    sessionId: row.rootId,
    toolCallId: row.toolCallId,
  });
  throw new InvalidResultError({ toolName: row.toolName, toolCallId: row.toolCallId, issues });
}

/** The session that waits for the answer. */
function ownerOf(row: OpenCallRow): SessionOfAgent {
  const { rootId, ownerAgentType: agentType, ownerSessionId: sessionId, userId } = row;
  return { rootId, sessionId, agentType, runId: '', userId };
}

const warned = new WeakSet<EngineContext>();

/** Once per process is enough: the remedy is the same for every call. */
function warnUnvalidated(ctx: EngineContext, row: OpenCallRow): void {
  if (warned.has(ctx)) return;
  warned.add(ctx);
  const { ownerAgentType: agentType, toolName } = row;
  ctx.logger.warn('client_tool.unvalidated', {
    agentType,
    toolName,
    hint: 'pass agentRegistry to the executor so that submitted results are checked against outputSchema',
  });
}
