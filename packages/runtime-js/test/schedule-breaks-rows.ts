import { commits, sessions, type Breaks } from './schedule-breaks.ts';

/** Rules about rows: transcripts, calls, answers. */
export const ROW_BREAKS: Breaks = {
  H1: [
    [
      'a call without a result',
      (history) => {
        const dump = sessions(history).find(({ messages }) =>
          messages.some(({ message }) => message.role === 'tool'),
        );
        const at = dump?.messages.findIndex(({ message }) => message.role === 'tool') ?? -1;
        return dump ? dump.messages.splice(at, 1).length === 1 : false;
      },
    ],
  ],
  H2: [
    [
      'a call id that is used twice',
      (history) => {
        const dump = sessions(history).find(({ messages }) =>
          messages.some(({ message }) => message.role === 'assistant' && message.toolCalls),
        );
        const row = dump?.messages.find(({ message }) => 'toolCalls' in message);
        if (!dump || !row) return false;
        dump.messages.push(structuredClone(row));
        return true;
      },
    ],
    [
      'a result nobody called for',
      (history) => {
        const row = sessions(history)
          .flatMap(({ messages }) => messages)
          .find(({ message }) => message.role === 'tool');
        if (row?.message.role !== 'tool') return false;
        row.message.toolCallId = 'nobody';
        return true;
      },
    ],
  ],
  H3: [
    [
      'a wrong count',
      (history) => sessions(history).some(({ session }) => (session.messageCount += 1)),
    ],
    [
      'a commit that did not count',
      (history) => sessions(history).some(({ session }) => (session.version += 1)),
    ],
    [
      'a checkpoint of other messages',
      (history) => {
        const row = commits(history).flatMap(({ plan }) => plan.insert?.checkpoints ?? [])[0];
        if (row) row.messageCount += 1;
        return row !== undefined;
      },
    ],
  ],
  H4: [
    [
      'a message that changed',
      (history) => {
        const row = sessions(history)[0]?.messages[0];
        if (row) Object.assign(row.message, { content: 'something else' });
        return row !== undefined;
      },
    ],
  ],
  H5: [
    [
      'a prompt without a result',
      (history) => {
        const prompt = history.prompts.find(({ messages }) =>
          messages.some(({ role }) => role === 'tool'),
        );
        if (prompt) prompt.messages = prompt.messages.filter(({ role }) => role !== 'tool');
        return prompt !== undefined;
      },
    ],
  ],
  H6: [
    [
      'text of a model that nobody stopped',
      (history) => {
        const row = commits(history)
          .flatMap(({ plan }) => plan.insert?.messages ?? [])
          .find(({ message }) => message.role === 'assistant');
        if (row) Object.assign(row.message, { stopped: true });
        return row !== undefined;
      },
    ],
  ],
  P1: [
    [
      'an open call its owner does not wait for',
      (history) => {
        for (const tree of history.rest.trees) {
          const open = tree.calls.find((row) => row.state === 'open');
          const owner = tree.sessions.find(
            ({ session }) => session.sessionId === open?.ownerSessionId,
          );
          if (owner) owner.journal = [];
          if (owner) return true;
        }
        return false;
      },
    ],
    [
      'a call that was opened without its record',
      (history) => {
        const commit = commits(history).find(({ plan }) => plan.insert?.calls?.length);
        if (commit?.plan.insert) commit.plan.insert.journal = [];
        return commit !== undefined;
      },
    ],
  ],
  P2: [
    [
      'a settled call without a result',
      (history) => {
        for (const { calls, sessions: all } of history.end.trees) {
          const row = calls.find(({ state }) => state === 'settled');
          const owner = all.find(({ session }) => session.sessionId === row?.ownerSessionId);
          if (!row || !owner) continue;
          owner.messages = owner.messages.filter(
            ({ message }) => message.role !== 'tool' || message.toolCallId !== row.toolCallId,
          );
          return true;
        }
        return false;
      },
    ],
  ],
  P3: [
    [
      'a session that waits for nothing',
      (history) => {
        const dump = history.rest.trees
          .flatMap((tree) => tree.sessions)
          .find(({ session }) => session.status.startsWith('suspended'));
        if (dump) dump.calls = [];
        return dump !== undefined;
      },
    ],
    [
      'an ended session with a lease',
      (history) => sessions(history).some(({ session }) => (session.leaseUntil = 1)),
    ],
  ],
  P4: [
    [
      'an answer that took effect and was refused',
      (history) => {
        const entry = history.client.find(
          ({ outcome }) => outcome.kind === 'ok' && outcome.status === 'accepted',
        );
        if (entry) entry.outcome = { kind: 'error', code: 'INVALID_REQUEST' };
        return entry !== undefined;
      },
    ],
    [
      'an accepted answer that became another',
      (history) => {
        const write = history.writes.find(
          (one) => one.kind === 'answer' && one.taken && one.input.answer.kind === 'result',
        );
        const row = write?.kind === 'answer' ? write.row : null;
        const message = sessions(history)
          .filter(({ session }) => session.sessionId === row?.ownerSessionId)
          .flatMap(({ messages }) => messages)
          .find(
            (one) => one.message.role === 'tool' && one.message.toolCallId === row?.toolCallId,
          )?.message;
        if (message?.role !== 'tool') return false;
        message.content = 'another answer';
        return true;
      },
    ],
    [
      'two accepted answers',
      (history) => {
        const entry = history.client.find(
          ({ outcome }) => outcome.kind === 'ok' && outcome.status === 'accepted',
        );
        if (entry) history.client.push(structuredClone(entry));
        return entry !== undefined;
      },
    ],
  ],
  P5: [
    [
      'a call that is not counted',
      (history) => {
        const counting = commits(history).find(({ plan }) =>
          plan.insert?.usage?.some((row) => row.kind === 'tool'),
        );
        if (counting) Object.assign(counting.plan.insert ?? {}, { usage: [] });
        return counting !== undefined;
      },
    ],
    [
      'a chunk that says otherwise',
      (history) => {
        const stored = history.streams
          .flatMap(({ chunks }) => chunks)
          .find(({ chunk }) => chunk.type === 'tool_end');
        if (stored?.chunk.type === 'tool_end') stored.chunk.success = !stored.chunk.success;
        return stored !== undefined;
      },
    ],
    [
      'a row that says otherwise',
      (history) => {
        const row = history.end.trees
          .flatMap(({ calls }) => calls)
          .find(({ outcome, state }) => outcome === 'answered' && state === 'settled');
        if (row) row.outcome = 'superseded';
        return row !== undefined;
      },
    ],
  ],
};
