// If this fails: the first turn of a process waits for SQLite to prepare, statement by statement, what was to be ready.
import { callKey } from '@helix-agents/core';
import {
  callRow,
  messageRow,
  planFor,
  runRow,
  seed,
  sessionRow,
  textChunk,
} from '@helix-agents/testing';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished, vi } from 'vitest';
import { SqliteStateStore, SqliteStreamManager } from '../src/index.ts';

const chunk = textChunk('x');

it('prepares what nearly every turn runs when it is first used', async () => {
  const database = new DatabaseSync(':memory:');
  onTestFinished(() => database.close());
  const { sessions } = new SqliteStateStore(database);
  const streams = new SqliteStreamManager(database);
  const row = sessionRow();
  await seed(sessions, { sessions: [row] });
  const prepare = vi.spyOn(database, 'prepare');
  const texts = (): unknown[] => prepare.mock.calls.map(([sql]) => sql);

  await streams.openStream('s1', 'a', 'a');
  await streams.getStreamInfo('s1');
  await streams.append('s1', [{ chunk, dedupeKey: 'one' }, { chunk }]);
  const call = callRow('a');
  await sessions.commit(
    planFor(row, {
      insert: { messages: [messageRow(1)], calls: [call], runs: [runRow('run-2')] },
      remove: { journal: [{ sessionId: 's1', stepId: 1 }] },
    }),
  );
  expect(texts()).toEqual([expect.stringMatching(/^update __agents_sessions/)]);

  prepare.mockClear();
  await sessions.readCalls('s1', { toolCallId: 'a', part: '' });
  const answer = { kind: 'none' } as const;
  await sessions.answerCall({
    key: callKey(call),
    outcome: 'cancelled',
    answer,
    answeredBy: null,
    now: 1,
  });
  await sessions.readStep(row);
  await sessions.readMessages(row);
  await streams.appendAndClose('s1', [{ chunk }], { as: 'ended', output: 1 });
  expect(texts()).toEqual([]);
});
