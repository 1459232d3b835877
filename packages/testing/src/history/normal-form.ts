import type { Message } from '@helix-agents/core';
import { canonical } from './support.ts';
import type { History } from './types.ts';

/** All of a history, as one short text: equal histories have equal hashes. */
export function hashHistory(history: History): string {
  const text = canonical(history);
  let [low, high] = [0x811c9dc5, 0x1b873593];
  for (let i = 0; i < text.length; i += 1) {
    low = Math.imul(low ^ text.charCodeAt(i), 0x01000193);
    high = Math.imul(high ^ text.charCodeAt(i), 0x85ebca6b);
  }
  return [low, high].map((part) => (part >>> 0).toString(16).padStart(8, '0')).join('');
}

/** What people and models can tell apart: no times, no generated ids, no order between processes. */
export function observableHistory(history: History): unknown {
  return {
    trees: history.end.trees.map(({ rootId, sessions, calls }) => ({
      rootId,
      calls: calls
        .map(({ toolCallId, toolName, state, outcome, answer }) => ({
          toolCallId,
          toolName,
          state,
          outcome,
          answer,
        }))
        .sort((a, b) => (a.toolCallId < b.toolCallId ? -1 : 1)),
      sessions: sessions.map(({ session, messages, runs }) => ({
        sessionId: session.sessionId,
        status: session.status,
        state: session.customState,
        output: session.output,
        error: session.error?.code ?? null,
        messages: messages.map(({ message }) => withoutId(message)),
        runs: runs.map(({ status, trigger }) => ({ status, trigger })),
      })),
    })),
    told: history.streams.map(({ streamId, status, chunks }) => ({
      streamId,
      status,
      calls: chunks
        .flatMap(({ chunk }) =>
          chunk.type === 'tool_end' || chunk.type === 'tool_approval_request'
            ? [`${chunk.type} ${chunk.toolCallId}`]
            : [],
        )
        .sort(),
    })),
    // Of two that ask at once either may be first.
    heard: history.client
      .map(({ request, outcome }) => {
        const answer = outcome.kind === 'ok' ? outcome.status : canonical(outcome);
        return `${request.kind} ${answer}`;
      })
      .sort(),
  };
}

function withoutId(message: Message): unknown {
  const { id: _id, ...rest } = message as Message & { readonly id?: string };
  return rest;
}
