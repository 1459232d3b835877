import type {
  JsonObject,
  JsonValue,
  OpenCallRow,
  SubmitToolResult,
  ToolMessage,
} from '@helix-agents/core';
import type { CallAnswer } from '@helix-agents/core/store';
import {
  appliedCommits,
  callName,
  canonical,
  editOf,
  groupBy,
  knownCalls,
  sameJson,
  sessionsOf,
  standingChunks,
  takenAnswers,
  toolMessages,
  type Rule,
  type TakenAnswer,
} from './support.ts';
import type { ClientOperation, History } from './types.ts';

type Submission = ClientOperation & {
  readonly request: { kind: 'submit'; submission: SubmitToolResult };
};

function submissionsOf(history: History): Submission[] {
  return history.client.filter((entry): entry is Submission => entry.request.kind === 'submit');
}

function wasAccepted({ outcome }: ClientOperation): boolean {
  return outcome.kind === 'ok' && outcome.status === 'accepted';
}

/** An accepted answer appears once, as it was given; any other had no effect. */
export const acceptedAnswersAppear: Rule = {
  id: 'P4',
  check: (history) => [
    ...acceptances(history),
    ...effectsWithoutAcceptance(history),
    ...takenAnswers(history).flatMap((taken) => misplaced(history, taken)),
  ],
};

function acceptances(history: History): string[] {
  const taken = takenAnswers(history);
  const accepted = submissionsOf(history).filter(wasAccepted);
  const byCall = groupBy(accepted, ({ request }) =>
    callName(request.submission.sessionId, request.submission.toolCallId),
  );
  const twice = [...byCall].flatMap(([name, all]) =>
    all.length > 1 ? [`${name} accepted ${all.length} answers`] : [],
  );
  const lost = accepted.flatMap(({ request, at, until }) => {
    const stored = taken.some(
      (write) =>
        write.at > at && write.at < (until ?? Infinity) && isAnswerOf(write, request.submission),
    );
    return stored
      ? []
      : [`${request.submission.toolCallId}: an answer was accepted and not stored`];
  });
  return [...twice, ...lost];
}

/** A stored answer was sent by a caller that got `accepted`, or no reply at all. */
function effectsWithoutAcceptance(history: History): string[] {
  const mayCount = submissionsOf(history).filter(
    (entry) => wasAccepted(entry) || entry.outcome.kind === 'unknown',
  );
  return takenAnswers(history).flatMap((write) =>
    mayCount.some(({ request }) => isAnswerOf(write, request.submission))
      ? []
      : [`${write.input.key.toolCallId}: an answer took effect although its sender was refused`],
  );
}

function isAnswerOf({ input }: TakenAnswer, submission: SubmitToolResult): boolean {
  const { rootId, toolCallId } = input.key;
  return (
    rootId === submission.sessionId &&
    toolCallId === submission.toolCallId &&
    sameJson(asGiven(input.answer), answerIn(submission))
  );
}

/** Without what the engine adds to it. */
function asGiven(answer: CallAnswer): CallAnswer {
  if (answer.kind !== 'approved') return answer;
  const { parsed: _, ...given } = answer;
  return given;
}

function answerIn(submission: SubmitToolResult): CallAnswer {
  if ('error' in submission) return { kind: 'error', error: submission.error };
  if ('result' in submission) return { kind: 'result', value: submission.result };
  if (submission.kind !== 'approval-response') return { kind: 'none' };
  const { approved, input, reason } = submission;
  const said = reason === undefined ? {} : { reason };
  if (approved) return { kind: 'approved', ...(input === undefined ? {} : { input }), ...said };
  return { kind: 'denied', ...said };
}

/** Looks for the one result of an answer in the owner's transcript. */
function misplaced(history: History, { row, input }: TakenAnswer): string[] {
  if (!row) return [];
  const owner = sessionsOf(history.end).find(
    ({ session }) => session.sessionId === row.ownerSessionId,
  );
  const messages = toolMessages(owner?.messages ?? [], row.toolCallId);
  const [message] = messages;
  if (messages.length !== 1 || !message)
    return [`${row.toolCallId}: answered, and its owner has ${messages.length} results`];
  const fault = answerFault(input.answer, message, row);
  return fault
    ? [`${row.toolCallId}: ${fault}: ${canonical(input.answer)} became ${canonical(message)}`]
    : [];
}

const AFTER_APPROVAL: ReadonlySet<string> = new Set([
  'tool_execution_failed',
  'tool_outcome_unknown',
  'tool_not_executed',
]);

function answerFault(answer: CallAnswer, message: ToolMessage, row: OpenCallRow): string | null {
  const error = message.errorDetail;
  switch (answer.kind) {
    case 'result': {
      const kept = message.success && message.content === asContent(answer.value);
      return kept ? null : 'not the value given';
    }
    case 'error': {
      const kept = error?.code === 'client_tool_error' && error.message === answer.error;
      return kept ? null : 'not the error given';
    }
    case 'denied':
      return wasDenied(message, answer.reason ?? '') ? null : 'not the denial given';
    case 'approved':
      return approvalFault(answer, message, row);
    case 'none':
      return 'nobody sends such an answer';
  }
}

function wasDenied({ content, errorDetail }: ToolMessage, reason: string): boolean {
  return errorDetail?.code === 'tool_approval_denied' && content.includes(reason);
}

function approvalFault(answer: CallAnswer, message: ToolMessage, row: OpenCallRow): string | null {
  const { executedInput, editedInput } = message;
  const edit = editOf(row, answer);
  const ran = executedInput === undefined && editedInput !== undefined ? edit?.raw : edit?.read;
  if (!sameJson(executedInput ?? editedInput, ran)) return 'not the edit given';
  if (!message.success) {
    const known = AFTER_APPROVAL.has(message.errorDetail?.code ?? '');
    return known ? null : 'not what an approval comes to';
  }
  const { text } = (edit?.read ?? row.input) as { readonly text: string };
  const wanted = `${row.toolName} ${text} for ${message.toolCallId}`;
  return message.content.startsWith(wanted) ? null : 'not the result of the approved input';
}

function asContent(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const OUTCOME_CODES: Readonly<Record<string, string>> = {
  expired: 'client_tool_timeout',
  cancelled: 'aborted',
  superseded: 'call_superseded',
  denied: 'tool_approval_denied',
};

/** Row, message, chunk and usage say the same about a call. */
export const oneOutcomePerCall: Rule = {
  id: 'P5',
  check: (history) => [
    ...rowsAgainstMessages(history),
    ...chunksAgainstMessages(history),
    ...usageAgainstMessages(history),
  ],
};

function rowsAgainstMessages(history: History): string[] {
  return history.end.trees.flatMap(({ sessions, calls }) =>
    calls.flatMap((row) => {
      const wanted = OUTCOME_CODES[row.outcome ?? ''];
      const owner = sessions.find(({ session }) => session.sessionId === row.ownerSessionId);
      const [message] = toolMessages(owner?.messages ?? [], row.toolCallId);
      if (!wanted || !message || message.errorDetail?.code === wanted) return [];
      return [
        `${row.toolCallId}: its row says ${row.outcome}, its message ${message.errorDetail?.code ?? 'success'}`,
      ];
    }),
  );
}

function chunksAgainstMessages(history: History): string[] {
  const messages = allResults(history);
  return history.streams.flatMap((stream) =>
    standingChunks(stream).flatMap(({ chunk }) => {
      if (chunk.type !== 'tool_end') return [];
      const message = messages.get(callName(stream.streamId, chunk.toolCallId));
      if (!message) return [`${chunk.toolCallId}: ended in the stream, without a result`];
      const agrees =
        message.success === chunk.success &&
        (chunk.success
          ? asContent(chunk.result ?? null) === message.content
          : chunk.errorCode === message.errorDetail?.code);
      return agrees ? [] : [`${chunk.toolCallId}: its chunk and its message differ`];
    }),
  );
}

function usageAgainstMessages(history: History): string[] {
  const messages = allResults(history);
  const rows = appliedCommits(history).flatMap(({ plan }) =>
    (plan.insert?.usage ?? []).filter((row) => row.kind === 'tool'),
  );
  const byCall = groupBy(rows, (row) => callName(row.rootId, countedCall(row.data)));
  const uncounted = carriedOut(history).filter((callId) => !byCall.has(callId));
  const wrong = [...byCall].flatMap(([callId, usage]) => {
    const message = messages.get(callId);
    if (usage.length > 1) return [`${callId}: counted ${usage.length} times`];
    return message && usage[0]?.data.success !== message.success
      ? [`${callId}: usage and message differ`]
      : [];
  });
  return [...wrong, ...uncounted.map((callId) => `${callId}: has a result and is not counted`)];
}

/** Calls of recorded plans that have a result, by root: tools and people. What was refused at once is no use of a tool. */
function carriedOut(history: History): string[] {
  const known = knownCalls(history);
  return sessionsOf(history.end).flatMap(({ session, messages }) =>
    messages.flatMap(({ message }) => {
      if (message.role !== 'tool') return [];
      const planned = known.get(callName(session.sessionId, message.toolCallId))?.call.class;
      const isCounted = planned && planned !== 'subagent' && planned !== 'settled';
      return isCounted ? [callName(session.rootId, message.toolCallId)] : [];
    }),
  );
}

function countedCall({ toolCallId }: JsonObject): string {
  return typeof toolCallId === 'string' ? toolCallId : '';
}

/** By root and call id. */
function allResults(history: History): Map<string, ToolMessage> {
  const results = new Map<string, ToolMessage>();
  for (const { session, messages } of sessionsOf(history.end)) {
    for (const { message } of messages) {
      if (message.role === 'tool')
        results.set(callName(session.rootId, message.toolCallId), message);
    }
  }
  return results;
}
