// If this fails: a full disk looks like a fault of the program, and nobody tries again once there is room.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { SqliteStateStore } from '../src/index.ts';

it('a full disk rejects as store_unavailable, and what comes after it works', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'helix-full-'));
  const database = new DatabaseSync(join(folder, 'agents.db'));
  onTestFinished(() => {
    database.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const stateStore = new SqliteStateStore(database);
  await stateStore.createSession('before', {});
  const pages = Number(database.prepare('pragma page_count').get()?.['page_count']);
  database.exec(`pragma max_page_count = ${pages + 2}`);
  const large = { metadata: { text: 'x'.repeat(100_000) } };
  await expect(stateStore.createSession('large', large)).rejects.toMatchObject({
    code: 'store_unavailable',
    statusCode: 503,
    retryable: true,
  });
  expect(await stateStore.loadState('before')).not.toBeNull();
  database.exec('pragma max_page_count = 1000000');
  await stateStore.createSession('large', large);
  expect(await stateStore.loadState('large')).not.toBeNull();
});

it('a database that may not be written rejects as store_unavailable', async () => {
  const database = new DatabaseSync(':memory:');
  onTestFinished(() => database.close());
  const stateStore = new SqliteStateStore(database);
  await stateStore.createSession('before', {});
  database.exec('pragma query_only = on');
  await expect(stateStore.createSession('after', {})).rejects.toMatchObject({
    code: 'store_unavailable',
  });
});
