import { testStoreProcesses } from '@helix-agents/testing';
import { sessionRow } from '@helix-agents/testing/rows';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { openSqlite, SqliteStateStore } from '../src/index.ts';
import { scripts, startChild, temporaryFile } from './child-process.ts';
import { planOf, seedOf } from './rows.ts';

const ref = { rootId: 's1', sessionId: 's1' };

testStoreProcesses({
  name: 'sqlite',
  nodeArgs: ['--conditions=@helix-agents/source'],
  program: scripts.storeProcess,
  create: async () => {
    const file = temporaryFile();
    const { stateStore, streamManager, close } = openSqlite(file, {
      synchronous: 'normal',
      pollMs: 5,
    });
    return { stateStore, streamManager, args: [file], close: async () => close() };
  },
});

it('LOCK-04 loses no update while the log is checkpointed again and again', async () => {
  const file = temporaryFile();
  const { stateStore, close } = openSqlite(file);
  await stateStore.sessions.commit(seedOf(sessionRow()));
  const checkpoints = new DatabaseSync(file, { timeout: 5_000 });
  const commits = JSON.stringify({ name: 'commit', given: { tries: 500 } });
  let rounds = 0;
  const timer = setInterval(() => {
    checkpoints.exec('pragma wal_checkpoint(truncate)');
    rounds += 1;
  }, 2);
  const ended = await Promise.all(
    [1, 2].map(() => startChild(scripts.storeProcess, [commits, file]).ended),
  );
  clearInterval(timer);
  checkpoints.close();
  const won = ended.flatMap(({ output }) => JSON.parse(output) as number[]);
  expect(rounds).toBeGreaterThan(5);
  expect((await stateStore.sessions.readSession(ref))?.version).toBe(won.length + 1);
  expect(await stateStore.sessions.readMessages(ref)).toHaveLength(won.length);
  close();
});

it('a commit fails as store_busy, retryable, when another process holds the lock too long', async () => {
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

it('a locked file is waited for while this process does other things', async () => {
  const file = temporaryFile();
  const { stateStore, close } = openSqlite(file, { busyTimeoutMs: 120_000 });
  await stateStore.sessions.commit(seedOf(sessionRow()));
  const { child, ended } = startChild(scripts.holdLock, [file]);
  await new Promise((resolve) => child.stdout?.once('data', resolve));
  const written: string[] = [];
  const note = (name: string) => (applied: boolean) => void written.push(`${name}: ${applied}`);
  const first = stateStore.sessions.commit(planOf()).then(note('first'));
  const second = stateStore.sessions.commit(planOf()).then(note('second'));
  for (let turns = 0; turns < 20; turns += 1) {
    expect(await stateStore.sessions.readSession(ref)).toMatchObject({ version: 1 });
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect(written).toEqual([]);
  child.kill('SIGKILL');
  await ended;
  await Promise.all([first, second]);
  expect(written).toEqual(['first: true', 'second: false']);
  close();
});

it('a new file that another process has locked is opened at once and used when it is free', async () => {
  const file = temporaryFile();
  const { child, ended } = startChild(scripts.holdLock, [file]);
  await new Promise((resolve) => child.stdout?.once('data', resolve));
  const { stateStore, close } = openSqlite(file, { busyTimeoutMs: 120_000 });
  const written = stateStore.sessions.commit(seedOf(sessionRow()));
  child.kill('SIGKILL');
  await ended;
  expect(await written).toBe(true);
  close();
  const database = new DatabaseSync(file);
  expect(database.prepare('pragma journal_mode').get()).toEqual({ journal_mode: 'wal' });
  database.close();
});

it('closed readers leave no timer behind', async () => {
  const { child, ended } = startChild(scripts.closeReader, []);
  expect(await ended).toEqual({ code: 0, signal: null, output: 'one two' });
  expect(child.exitCode).toBe(0);
});

it('a commit inside a transaction of the caller is refused', async () => {
  const database = new DatabaseSync(':memory:');
  const store = new SqliteStateStore(database);
  await store.sessions.commit(seedOf(sessionRow()));
  database.exec('begin; create table mine (a)');
  await expect(store.sessions.commit(planOf())).rejects.toThrow(/transaction/);
  database.exec('commit');
  expect(database.prepare('select * from mine').all()).toEqual([]);
});
