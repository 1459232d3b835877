import type { MessageRow } from '@helix-agents/core/store';
import { callRow, messageRow, sessionRow, T0 } from '@helix-agents/testing/rows';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { openSqlite, SqliteStateStore } from '../src/index.ts';
import { planOf, seedOf } from './rows.ts';

const ref = { rootId: 's1', sessionId: 's1' };
const nasty = 'a\0b \ud800 \udfff 😀 \u2028 "quoted" \\u0000 \\';

it('SQLite keeps NUL, lone surrogates and escapes in all texts of people, tools and models', async () => {
  const { stateStore, streamManager, close } = openSqlite(':memory:');
  const { sessions } = stateStore;
  const metadata = { [nasty]: nasty };
  await sessions.commit(seedOf(sessionRow({ tags: [nasty], metadata, failureReason: nasty })));
  const set = { customState: { [nasty]: [nasty] }, error: { code: 'x', message: nasty } };
  await sessions.commit(
    planOf({
      sessions: [{ sessionId: 's1', set, raise: { version: true } }],
      insert: { messages: [said(1, nasty)], calls: [callRow('c', { input: nasty })] },
    }),
  );
  const key = { rootId: 's1', toolCallId: 'c', part: '' };
  const answer = { kind: 'result', value: nasty } as const;
  await sessions.answerCall({ key, outcome: 'answered', answer, answeredBy: null, now: T0 });
  await sessions.requestInterrupt(ref, nasty, T0);
  const chunk = {
    type: 'text_delta',
    delta: nasty,
    agentId: 's1',
    agentType: 'a',
    timestamp: T0,
    step: 1,
  } as const;
  await streamManager.append('s1', [{ chunk, dedupeKey: 'k' }]);

  const step = await sessions.readStep(ref);
  expect(step?.session).toMatchObject({ ...set, tags: [nasty], metadata, failureReason: nasty });
  expect(step?.calls[0]).toMatchObject({ input: nasty, answer });
  expect(step?.interrupt?.reason).toBe(nasty);
  expect((await sessions.readMessages(ref))[0]?.message).toEqual({ role: 'user', content: nasty });
  expect(await streamManager.readChunks('s1')).toEqual([{ sequence: 1, chunk }]);
  close();
});

it('SQLite keeps rows of 5 MB', async () => {
  const { stateStore, close } = openSqlite(':memory:');
  const { sessions } = stateStore;
  const big = 'é"\\'.repeat(1_700_000);
  await sessions.commit(seedOf(sessionRow({ customState: { big } })));
  const messages = [said(1, big), messageRow(2), said(3, big)];
  const set = { output: { big } };
  await sessions.commit(planOf({ sessions: [{ sessionId: 's1', set }], insert: { messages } }));
  const session = await sessions.readSession(ref);
  expect(session?.customState).toEqual({ big });
  expect(session?.output).toEqual({ big });
  expect(await sessions.readMessages(ref)).toEqual(messages);
  close();
});

it('SQLite keeps JSON that is nested deeper than it can parse', async () => {
  const { stateStore, close } = openSqlite(':memory:');
  const deep = JSON.parse('['.repeat(3000) + ']'.repeat(3000)) as [];
  await stateStore.sessions.commit(seedOf(sessionRow({ customState: deep })));
  expect((await stateStore.sessions.readSession(ref))?.customState).toEqual(deep);
  close();
});

function said(sequence: number, content: string): MessageRow {
  return messageRow(sequence, { message: { role: 'user', content } });
}

it('SQLite is given no NUL, at which many releases of Node end a text', async () => {
  const database = new DatabaseSync(':memory:');
  const { sessions } = new SqliteStateStore(database);
  await sessions.commit(seedOf(sessionRow({ failureReason: nasty })));
  expect((await sessions.readSession(ref))?.failureReason).toBe(nasty);
  const [row] = database
    .prepare('select hex(failure_reason) as bytes from __agents_sessions')
    .all();
  expect(Buffer.from(String(row?.['bytes']), 'hex').includes(0)).toBe(false);
  database.close();
});
