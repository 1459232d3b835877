import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { openSqlite, type Sqlite } from '../src/index.ts';
import { temporaryFile } from './child-process.ts';

const nobody = { rootId: 's', sessionId: 's' };

function pageBytes(file: string): unknown {
  const database = new DatabaseSync(file);
  try {
    return database.prepare('pragma page_size').get();
  } finally {
    database.close();
  }
}

async function use(sqlite: Sqlite): Promise<void> {
  expect(await sqlite.stateStore.sessions.readSession(nobody)).toBeNull();
  sqlite.close();
}

it('a new SQLite file has pages of 2 kB', async () => {
  const file = temporaryFile();
  await use(openSqlite(file));
  expect(pageBytes(file)).toEqual({ page_size: 2048 });
});

it('an existing SQLite file keeps its page size', async () => {
  const file = temporaryFile();
  const earlier = new DatabaseSync(file);
  earlier.exec('pragma journal_mode = wal; create table kept (id integer primary key)');
  earlier.close();
  await use(openSqlite(file));
  expect(pageBytes(file)).toEqual({ page_size: 4096 });
});
