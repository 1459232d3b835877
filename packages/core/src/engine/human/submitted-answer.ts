import { findDefinedTool } from '../../define/effective-tools.ts';
import type { SubmitToolResult } from '../../define/submit-schema.ts';
import type { Tool } from '../../define/types.ts';
import type { Issue } from '../../errors/issue.ts';
import { InvalidRequestError, InvalidResultError } from '../../errors/request-errors.ts';
import type { JsonValue } from '../../json.ts';
import type { CallAnswer, OpenCallRow, ParsedInput } from '../../store/rows.ts';
import type { AnswerCall } from '../../store/session-store.ts';
import type { EngineContext, SessionOfAgent } from '../context.ts';
import { parserFor } from '../race.ts';
import { withRootAgent } from '../require-agent.ts';
import { sameJson } from '../../util/same-json.ts';
import { editsInVain, rawOfEdit } from '../rows/edit-of-shown.ts';
import { NOT_SHOWABLE, parseInput, shownInput } from '../rows/parsed-input.ts';

/** What a submission writes into the row of its call. */
export type Answer = Pick<AnswerCall, 'outcome' | 'answer' | 'only'>;
type ApprovalResponse = Extract<SubmitToolResult, { kind: 'approval-response' }>;

/** The answer where the call need not be read first: the conditional write checks all there is to check. Else null. */
export function plainAnswer(ctx: EngineContext, submission: SubmitToolResult): Answer | null {
  const error = errorAnswer(submission);
  if (error) return error;
  if (submission.kind === 'client-tool-result')
    return ctx.agents.mayCheckResults() ? null : { ...resultAnswer(submission), only: CLIENT };
  if (submission.input !== undefined) return null;
  const { approvalId } = submission;
  const only = { kind: 'approval', ...(approvalId !== undefined && { approvalId }) } as const;
  return { ...decision(submission), only };
}

/** The answer for a call that was read. Throws where it does not fit the call or its schema. */
export async function toAnswer(
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
    const { outcome, answer } = decision(submission);
    const edit = await parseEdit(ctx, row, input as JsonValue);
    return { outcome, answer: { ...answer, ...edit } as CallAnswer };
  }
  if (row.kind === 'approval')
    throw misfit('kind', `${row.toolCallId} waits for an approval-response`);
  const answer = resultAnswer(submission);
  await validateResult(ctx, row, answer.answer.value);
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

/** An edit of what was shown, as the tool's input schema reads it, once. A tool or agent that is gone cannot refuse an answer. */
async function parseEdit(
  ctx: EngineContext,
  row: OpenCallRow,
  input: JsonValue,
): Promise<{ readonly input: JsonValue; readonly parsed?: ParsedInput }> {
  const raw = rawOfEdit(row, input);
  const tool = await toolOf(ctx, row);
  if (!tool) return { input: raw };
  const edit = await parseInput(tool, raw, parserFor(ctx));
  if (!edit.ok) throw refused(ctx, row, edit.issues);
  if (!edit.parsed) throw refused(ctx, row, [NOT_SHOWABLE]);
  const value = shownInput({ raw, parsed: edit.parsed });
  const issues = editsInVain(row, input, value);
  if (issues.length > 0) throw refused(ctx, row, issues);
  // What runs is parsed again from the raw input where JSON cannot carry it; else what the person wrote is kept.
  if (edit.parsed.kind === 'form') return { input: raw, parsed: edit.parsed };
  return { input, parsed: sameJson(value, input) ? { kind: 'same' } : { kind: 'json', value } };
}

async function validateResult(
  ctx: EngineContext,
  row: OpenCallRow,
  value: JsonValue,
): Promise<void> {
  const schema = (await toolOf(ctx, row))?.outputSchema;
  const parsed = schema && (await parserFor(ctx)(schema, value));
  if (parsed?.ok === false) throw refused(ctx, row, parsed.issues);
}

async function toolOf(ctx: EngineContext, row: OpenCallRow): Promise<Tool | undefined> {
  const owner = ownerOf(row);
  const agent = await withRootAgent(ctx, owner, async () => ctx.agents.find(owner));
  if (!agent) warnUnvalidated(ctx, row);
  return agent && findDefinedTool(agent, row.toolName);
}

function refused(
  ctx: EngineContext,
  { rootId: sessionId, toolCallId, toolName }: OpenCallRow,
  issues: readonly Issue[],
): InvalidResultError {
  ctx.logger.warn('client_tool.validation_failed', { sessionId, toolCallId });
  return new InvalidResultError({ toolName, toolCallId, issues });
}

/** The session that waits for the answer. */
export function ownerOf(row: OpenCallRow): SessionOfAgent {
  const { rootId, ownerAgentType: agentType, ownerSessionId: sessionId, userId } = row;
  return { rootId, sessionId, agentType, runId: '', userId };
}

const warned = new WeakSet<EngineContext>();

/** Once per process is enough: the remedy is the same for every call. */
export function warnUnvalidated(ctx: EngineContext, row: OpenCallRow): void {
  if (warned.has(ctx)) return;
  warned.add(ctx);
  const { ownerAgentType: agentType, toolName } = row;
  ctx.logger.warn('client_tool.unvalidated', {
    agentType,
    toolName,
    hint: 'pass agentRegistry to the executor so that submitted results are checked against outputSchema',
  });
}
