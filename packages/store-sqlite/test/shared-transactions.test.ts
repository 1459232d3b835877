// If this fails: concurrent sessions wait for one fsync each, or a failing one fails others (src/share-transactions.ts).
import { rootRef } from '@helix-agents/core/store';
import type { CommitPlan } from '@helix-agents/core/store';
import { messageRow, planFor, seed, sessionRow, textChunk } from '@helix-agents/testing';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { expect, it, onTestFinished, vi } from 'vitest';
import { SqliteStateStore, SqliteStreamManager } from '../src/index.ts';

const ids = Array.from({ length: 100 }, (_, index) => `s${index}`);

const step = (sessionId: string): CommitPlan =>
  planFor(sessionRow({ sessionId }), { insert: { messages: [messageRow(1, { sessionId })] } });

const chunk = textChunk('x');

async function open(): Promise<{ store: SqliteStateStore; streams: SqliteStreamManager }> {
  const database = new DatabaseSync(':memory:');
  onTestFinished(() => database.close());
  const store = new SqliteStateStore(database);
  for (const sessionId of ids) {
    await seed(store.sessions, { sessions: [sessionRow({ sessionId })] });
  }
  return { store, streams: new SqliteStreamManager(database) };
}

const isBegin = (statement: unknown): boolean =>
  (statement as StatementSync).sourceSQL === 'begin immediate';

/** Counts from here on. */
function countTransactions(): () => number {
  const run = vi.spyOn(StatementSync.prototype, 'run');
  onTestFinished(() => run.mockRestore());
  return () => run.mock.contexts.filter(isBegin).length;
}

it('I2 commits and chunks of many writers share few transactions', async () => {
  const { store, streams } = await open();
  const count = countTransactions();
  const [won, heads] = await Promise.all([
    Promise.all(ids.map((id) => store.sessions.commit(step(id)))),
    Promise.all(ids.map((id) => streams.append(id, [{ chunk }, { chunk }]))),
  ]);
  expect(won).toEqual(ids.map(() => true));
  expect(heads).toEqual(ids.map(() => 2));
  expect(count()).toBeLessThan(6);
});

it('I1 a session that writes alone is written at once', async () => {
  const { store } = await open();
  await store.sessions.commit(step('s1'));
  const order: string[] = [];
  setImmediate(() => order.push('next turn'));
  for (const version of [2, 3, 4]) {
    await store.sessions.commit(planFor(sessionRow({ sessionId: 's1', version })));
    order.push(`version ${version}`);
  }
  expect(order).toEqual(['version 2', 'version 3', 'version 4']);
});

it('I1 the first writer is written at once, and stays alone after a write without a name', async () => {
  const database = new DatabaseSync(':memory:');
  onTestFinished(() => database.close());
  const { sessions } = new SqliteStateStore(database);
  await sessions.expireCalls(rootRef('s1'), 0);
  const order: string[] = [];
  setImmediate(() => order.push('next turn'));
  await sessions.commit({
    ...planFor(sessionRow()),
    guard: {},
    sessions: [],
    insert: { sessions: [sessionRow()] },
  });
  order.push('first');
  await sessions.requestInterrupt(sessionRow(), null, 1);
  await sessions.commit(planFor(sessionRow()));
  order.push('second');
  expect(order).toEqual(['first', 'second']);
});

it('a commit that SQLite refuses does not fail others of its transaction', async () => {
  const { store } = await open();
  const broken = { ...step('s7'), insert: { messages: [messageRow({} as never)] } };
  const outcomes = await Promise.allSettled(
    ids.map((id) => store.sessions.commit(id === 's7' ? broken : step(id))),
  );
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  for (const sessionId of ids) {
    const session = await store.sessions.readSession({ rootId: sessionId, sessionId });
    expect(session?.version).toBe(sessionId === 's7' ? 1 : 2);
  }
});

it('waiting commits fail when the file is closed', async () => {
  const database = new DatabaseSync(':memory:');
  const { sessions } = new SqliteStateStore(database);
  await seed(sessions, { sessions: [sessionRow({ sessionId: 's1' })] });
  await seed(sessions, { sessions: [sessionRow({ sessionId: 's2' })] });
  const commits = ['s1', 's2'].map((id) => sessions.commit(step(id)));
  database.close();
  const outcomes = await Promise.allSettled(commits);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});
