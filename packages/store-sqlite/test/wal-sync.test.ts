// If this fails: a relaxed commit is called safe while a loss of power would still take it, or whoever waits for that waits for ever.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canRelax, type RelaxedCommits, type SessionStore } from '@helix-agents/core';
import { messageRow, planFor, seed, sessionRow } from '@helix-agents/testing';
import { DatabaseSync } from 'node:sqlite';
import { SqliteStateStore } from '../src/index.ts';
import { createWalSync, syncLogOf } from '../src/wal-sync.ts';

/** Syncs that end when they are told to. */
function controlled(): { sync: () => Promise<void>; running: PromiseWithResolvers<void>[] } {
  const running: PromiseWithResolvers<void>[] = [];
  const sync = (): Promise<void> => {
    const one = Promise.withResolvers<void>();
    running.push(one);
    return one.promise;
  };
  return { sync, running };
}

function settledOf(promise: Promise<void>): () => string {
  let state = 'pending';
  promise.then(
    () => (state = 'safe'),
    () => (state = 'failed'),
  );
  return () => state;
}

it('waits for nothing when nothing was left', async () => {
  const { sync, running } = controlled();
  const log = createWalSync(sync);
  await log.flush();
  log.left();
  log.waited();
  await log.flush();
  await nextTurn();
  expect(running).toHaveLength(0);
});

it('is released by a commit that waits for the disk, without a sync of its own', async () => {
  const { sync, running } = controlled();
  const log = createWalSync(sync);
  log.left();
  const flushed = log.flush();
  log.waited();
  await flushed;
  await nextTurn();
  expect(running).toHaveLength(0);
});

it('syncs once for all that wait, and again for what came meanwhile', async () => {
  const { sync, running } = controlled();
  const log = createWalSync(sync);
  log.left();
  const first = [settledOf(log.flush()), settledOf(log.flush())];
  await nextTurn();
  log.left();
  const late = settledOf(log.flush());
  running[0]?.resolve();
  await nextTurn();
  expect(first.map((state) => state())).toEqual(['safe', 'safe']);
  expect(late()).toBe('pending');
  running[1]?.resolve();
  await nextTurn();
  expect(late()).toBe('safe');
  expect(running).toHaveLength(2);
});

it('says when the disk refuses, and tries again for the next', async () => {
  const { sync, running } = controlled();
  const log = createWalSync(sync);
  log.left();
  const failed = settledOf(log.flush());
  await nextTurn();
  running[0]?.reject(new Error('no disk'));
  await nextTurn();
  expect(failed()).toBe('failed');
  const again = settledOf(log.flush());
  await nextTurn();
  running[1]?.resolve();
  await nextTurn();
  expect(again()).toBe('safe');
});

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), 'helix-wal-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

it('syncs the log of a database, and takes one that is gone for synced', async () => {
  const path = join(directory(), 'a.db');
  const store = new SqliteStateStore(path);
  await seed(store.sessions, { sessions: [sessionRow()] });
  await expect(syncLogOf(path)).resolves.toBeUndefined();
  store.close();
  await expect(syncLogOf(path)).resolves.toBeUndefined();
});

it('is safe after a commit that changed something, not after one that missed', async () => {
  const { sessions } = open(join(directory(), 'a.db'));
  const row = sessionRow();
  await seed(sessions, { sessions: [row] });
  const step = planFor(row, { insert: { messages: [messageRow(1)] } });
  expect(await sessions.commit({ ...step, relaxed: true })).toBe(true);
  expect(await sessions.commit(step)).toBe(false);
  const flushed = settledOf(sessions.flush());
  await Promise.resolve();
  expect(flushed()).toBe('pending');
  await sessions.commit(planFor({ ...row, version: row.version + 1 }, {}));
  await Promise.resolve();
  expect(flushed()).toBe('safe');
});

it('offers it only where it opened the file itself, with full sync', () => {
  const path = join(directory(), 'a.db');
  const database = new DatabaseSync(path);
  onTestFinished(() => database.close());
  const stores = [
    new SqliteStateStore(path),
    new SqliteStateStore(path, { synchronous: 'normal' }),
    new SqliteStateStore(database),
    new SqliteStateStore(':memory:'),
  ];
  onTestFinished(() => stores.forEach((store) => store.close()));
  expect(stores.map(({ sessions }) => canRelax(sessions))).toEqual([true, false, false, false]);
});

function open(path: string): { readonly sessions: SessionStore & RelaxedCommits } {
  const store = new SqliteStateStore(path);
  onTestFinished(() => store.close());
  const { sessions } = store;
  if (!canRelax(sessions)) throw new Error('it cannot');
  return { sessions };
}
