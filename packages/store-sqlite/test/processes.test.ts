import { sessionRow } from '@helix-agents/testing/rows';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { openSqlite, SqliteStateStore } from '../src/index.ts';
import { scripts, startChild, temporaryFile } from './child-process.ts';
import { planOf, seedOf } from './rows.ts';

const ref = { rootId: 's1', sessionId: 's1' };

it('gives each version to one of two processes', { timeout: 60_000 }, async () => {
  const file = temporaryFile();
  const { stateStore, close } = openSqlite(file);
  await stateStore.sessions.commit(seedOf(sessionRow()));
  const ended = await Promise.all([1, 2].map(() => startChild(scripts.commit, [file]).ended));
  const wins = ended.map(({ output }) => JSON.parse(output) as number[]);
  expect(Math.min(...wins.map((won) => won.length))).toBeGreaterThan(0);
  const all = wins.flat().toSorted((a, b) => a - b);
  expect(all).toEqual(all.map((_, index) => index + 1));
  expect((await stateStore.sessions.readSession(ref))?.version).toBe(all.length + 1);
  expect(await stateStore.sessions.readMessages(ref)).toHaveLength(all.length);
  close();
});

it(
  'LOCK-04 loses no update while the log is checkpointed again and again',
  { timeout: 60_000 },
  async () => {
    const file = temporaryFile();
    const { stateStore, close } = openSqlite(file);
    await stateStore.sessions.commit(seedOf(sessionRow()));
    const checkpoints = new DatabaseSync(file, { timeout: 5_000 });
    let rounds = 0;
    const timer = setInterval(() => {
      checkpoints.exec('pragma wal_checkpoint(truncate)');
      rounds += 1;
    }, 2);
    const ended = await Promise.all([1, 2].map(() => startChild(scripts.commit, [file]).ended));
    clearInterval(timer);
    checkpoints.close();
    const won = ended.flatMap(({ output }) => JSON.parse(output) as number[]);
    expect(rounds).toBeGreaterThan(5);
    expect((await stateStore.sessions.readSession(ref))?.version).toBe(won.length + 1);
    expect(await stateStore.sessions.readMessages(ref)).toHaveLength(won.length);
    close();
  },
);

it('says busy, retryably, when another process holds the lock too long', async () => {
  const file = temporaryFile();
  const { stateStore, close } = openSqlite(file, { busyTimeoutMs: 50 });
  await stateStore.sessions.commit(seedOf(sessionRow()));
  const { child, ended } = startChild(scripts.holdLock, [file]);
  await new Promise((resolve) => child.stdout?.once('data', resolve));
  await expect(stateStore.sessions.commit(planOf())).rejects.toMatchObject({
    code: 'store_busy',
    retryable: true,
  });
  expect(await stateStore.sessions.readSession(ref)).toMatchObject({ version: 1 });
  child.kill('SIGKILL');
  await ended;
  expect(await stateStore.sessions.commit(planOf())).toBe(true);
  close();
});

it('shows a live reader what other processes append, each number once', async () => {
  const file = temporaryFile();
  const { streamManager, close } = openSqlite(file, { pollMs: 5 });
  await streamManager.createWriter('s1', 's1', 'a');
  const reader = await streamManager.createResumableReader('s1');
  const writers = ['one', 'two'].map((name) => startChild(scripts.append, [file, name]).ended);
  const seen: number[] = [];
  const said: Record<string, string[]> = { one: [], two: [] };
  for await (const { sequence, chunk } of reader!) {
    seen.push(sequence);
    if (chunk.type === 'text_delta') said[chunk.agentId]?.push(chunk.delta);
    if (seen.length === 200) await streamManager.endStream('s1');
  }
  expect((await Promise.all(writers)).map(({ output }) => output)).toEqual(['done', 'done']);
  expect(seen).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
  const inOrder = Array.from({ length: 100 }, (_, index) => `${index + 1}`);
  expect(said).toEqual({ one: inOrder, two: inOrder });
  close();
});

it('leaves no timer behind when readers are closed', async () => {
  const { child, ended } = startChild(scripts.closeReader, []);
  expect(await ended).toEqual({ code: 0, signal: null, output: 'one two' });
  expect(child.exitCode).toBe(0);
});

it('leaves a transaction of the caller alone', async () => {
  const database = new DatabaseSync(':memory:');
  const store = new SqliteStateStore(database);
  await store.sessions.commit(seedOf(sessionRow()));
  database.exec('begin; create table mine (a)');
  await expect(store.sessions.commit(planOf())).rejects.toThrow(/transaction/);
  database.exec('commit');
  expect(database.prepare('select * from mine').all()).toEqual([]);
});
