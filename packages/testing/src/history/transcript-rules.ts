import { findTranscriptFault } from '@helix-agents/core/host';
import type { AssistantMessage } from '@helix-agents/core';
import type { MessageRow } from '@helix-agents/core/store';
import { replayWrites } from './replay.ts';
import {
  appliedCommits,
  canonical,
  groupBy,
  sameJson,
  sessionsOf,
  type AppliedCommit,
  type Rule,
} from './support.ts';
import type { DumpedSession } from './types.ts';

/** Each call has exactly one result, before the next message, in call order. */
export const everyCallHasOneResult: Rule = {
  id: 'H1',
  check: (history) =>
    [history.rest, history.end].flatMap((dump) => sessionsOf(dump).flatMap(unansweredCalls)),
};

function unansweredCalls({ session, messages }: DumpedSession): string[] {
  const faults: string[] = [];
  for (const [position, { message, sequence }] of messages.entries()) {
    if (message.role !== 'assistant') continue;
    const calls = message.toolCalls ?? [];
    const following = messages.slice(position + 1, position + 1 + calls.length);
    // The unfinished step of a session that waits has no results yet.
    if (session.stepMessage === sequence && following.length === 0) continue;
    const found = following.map((row) =>
      'toolCallId' in row.message ? row.message.toolCallId : '-',
    );
    const wanted = calls.map((call) => call.id);
    if (!sameJson(found, wanted))
      faults.push(
        `${session.sessionId} message ${sequence}: calls ${canonical(wanted)}, followed by ${canonical(found)}`,
      );
  }
  return faults;
}

/** No result without a call, and no call id twice in a tree. */
export const callIdsAreUnique: Rule = {
  id: 'H2',
  check: (history) =>
    history.end.trees.flatMap(({ rootId, sessions }) => {
      const calls = sessions.flatMap(({ messages }) => messages.flatMap(callIdsOf));
      const results = sessions.flatMap(({ messages }) =>
        messages.flatMap(({ message }) => (message.role === 'tool' ? [message.toolCallId] : [])),
      );
      return [
        ...repeated(calls).map((id) => `${rootId}: call id ${id} is used twice`),
        ...repeated(results).map((id) => `${rootId}: ${id} has two results`),
        ...results
          .filter((id) => !calls.includes(id))
          .map((id) => `${rootId}: a result of ${id}, which nobody called`),
      ];
    }),
};

function callIdsOf({ message }: MessageRow): string[] {
  return message.role === 'assistant' ? (message.toolCalls ?? []).map((call) => call.id) : [];
}

function repeated(ids: readonly string[]): string[] {
  return [...groupBy(ids, (id) => id)].flatMap(([id, all]) => (all.length > 1 ? [id] : []));
}

/** Sequences have no gap, a checkpoint counts what was there, the version counts the commits. */
export const countsAgree: Rule = {
  id: 'H3',
  check(history) {
    const faults: string[] = [];
    const commits = new Map<string, number>();
    replayWrites(history, {
      after(write, rows) {
        if (write.kind !== 'commit' || !write.applied) return;
        const { sessions = [], insert = {} } = write.plan;
        const raised = [
          ...sessions.filter((update) => update.raise?.version).map((update) => update.sessionId),
          ...(insert.sessions ?? []).map((row) => row.sessionId),
        ];
        for (const id of raised) commits.set(id, (commits.get(id) ?? 0) + 1);
        for (const row of insert.checkpoints ?? []) {
          const count = rows.messages.get(row.sessionId)?.length ?? 0;
          const { version } = rows.sessions.get(row.sessionId) ?? { version: -1 };
          if (row.messageCount !== count || row.version !== version)
            faults.push(
              `${row.sessionId}: checkpoint ${row.version} counts ${row.messageCount} of ${count} at version ${version}`,
            );
        }
      },
    });
    for (const { session, messages } of sessionsOf(history.end)) {
      const { sessionId, version, messageCount } = session;
      const gap = messages.findIndex((row, position) => row.sequence !== position + 1);
      if (gap !== -1) faults.push(`${sessionId}: message ${gap + 1} is missing`);
      if (messageCount !== messages.length)
        faults.push(`${sessionId}: messageCount ${messageCount} of ${messages.length}`);
      if (version !== commits.get(sessionId))
        faults.push(`${sessionId}: version ${version} after ${commits.get(sessionId)} commits`);
    }
    return faults;
  },
};

/** What was committed is what is there, and nothing of it ever changed. */
export const committedStays: Rule = {
  id: 'H4',
  check(history) {
    const faults: string[] = [];
    const rows = replayWrites(history, {
      before(write, before) {
        if (write.kind !== 'commit' || !write.applied) return;
        const lengths = new Map<string, number>();
        for (const row of write.plan.insert?.messages ?? []) {
          const length =
            lengths.get(row.sessionId) ?? before.messages.get(row.sessionId)?.length ?? 0;
          if (row.sequence !== length + 1)
            faults.push(`${row.sessionId}: message ${row.sequence} appended after ${length}`);
          lengths.set(row.sessionId, length + 1);
        }
      },
    });
    const atRest = new Map(sessionsOf(history.rest).map((dump) => [dump.session.sessionId, dump]));
    for (const { session, messages } of sessionsOf(history.end)) {
      const written = rows.messages.get(session.sessionId) ?? [];
      if (!sameJson(written.map(contentOf), messages.map(contentOf)))
        faults.push(`${session.sessionId}: its messages are not those that were committed`);
      const before = atRest.get(session.sessionId)?.messages ?? [];
      if (!sameJson(before, messages.slice(0, before.length)))
        faults.push(`${session.sessionId}: committed messages changed`);
      const replayed = rows.sessions.get(session.sessionId);
      for (const field of [
        'version',
        'epoch',
        'records',
        'status',
        'stepId',
        'customState',
      ] as const) {
        if (!sameJson(replayed?.[field], session[field]))
          faults.push(
            `${session.sessionId}: ${field} is ${canonical(session[field])}, committed was ${canonical(replayed?.[field])}`,
          );
      }
    }
    return faults;
  },
};

function contentOf(row: MessageRow): unknown {
  return [row.sequence, row.message];
}

/** Every prompt would be taken by a strict provider. */
export const promptsAreValid: Rule = {
  id: 'H5',
  check: (history) =>
    history.prompts.flatMap(({ sessionId, messages, at }) => {
      const fault = findTranscriptFault(messages);
      return fault ? [`prompt of ${sessionId} at ${at}: ${fault}`] : [];
    }),
};

/** What a stopped model said is appended at most once, by the message that follows the stop; never after a resume. */
export const stoppedTextNeedsAMessage: Rule = {
  id: 'H6',
  check(history) {
    /** Ids of the texts that stand beside a step, by session. */
    const standing = new Map<string, string | undefined>();
    return appliedCommits(history).flatMap(({ plan }) => {
      const faults = stoppedMessages(plan).flatMap(({ sessionId, message }) => {
        const text = `${sessionId}: "${message.content}" was appended`;
        if (standing.get(sessionId) !== message.id) return [`${text} and did not stand`];
        return followsMessage(plan, sessionId) ? [] : [`${text} without a message`];
      });
      for (const { sessionId, set } of plan.sessions ?? [])
        if (set?.status !== undefined || set?.stepId !== undefined) standing.delete(sessionId);
      for (const row of plan.insert?.journal ?? [])
        if (row.kind === 'stopped') standing.set(row.sessionId, row.data.message.id);
      return faults;
    });
  },
};

type Plan = AppliedCommit['plan'];

function stoppedMessages({
  insert,
}: Plan): { readonly sessionId: string; readonly message: AssistantMessage }[] {
  return (insert?.messages ?? []).flatMap(({ sessionId, message }) =>
    message.role === 'assistant' && message.stopped ? [{ sessionId, message }] : [],
  );
}

/** A message at the root, or the close of a sub-session that comes after one. */
function followsMessage({ rootId, insert, sessions }: Plan, of: string): boolean {
  const isAsked = insert?.messages?.some(
    ({ sessionId, message }) => sessionId === rootId && message.role === 'user',
  );
  const isClosed = sessions?.some(({ sessionId, set }) => sessionId === of && set?.closed);
  return isAsked === true || (of !== rootId && isClosed === true);
}
