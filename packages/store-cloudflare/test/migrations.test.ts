// If this fails: a database made by `wrangler d1 migrations apply` differs from one that the code made, or two Workers that start
// at once break each other's first migration.
import { renderMigration, SCHEMA_VERSION, sqliteDialect } from '@helix-agents/store-sql';
import { startWorker } from '@helix-agents/test-servers';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { D1StateStore, runMigration, type D1Like } from '../src/d1.ts';

const migration = new URL(
  `../migrations/${String(SCHEMA_VERSION).padStart(4, '0')}_helix_agents.sql`,
  import.meta.url,
);
const statements = renderMigration(sqliteDialect).map(({ sql, params }) =>
  sql.trim().replaceAll('?1', String(params[0])),
);

let worker: Awaited<ReturnType<typeof startWorker>>;
beforeAll(async () => {
  worker = await startWorker(fileURLToPath(new URL('./worker/empty.ts', import.meta.url)), {
    d1Databases: { CODE: 'code', FILE: 'file', OLD: 'old' },
  });
});
afterAll(() => worker.dispose());

const databaseOf = async (name: string): Promise<D1Like> => {
  const database: unknown = await worker.getD1Database(name);
  return database as D1Like;
};

async function schemaOf(database: D1Like): Promise<readonly unknown[]> {
  const query = `select type, name, sql from sqlite_master where name like '%agents%' order by type, name`;
  return (await database.prepare(query).all()).results;
}

it('the file for wrangler has the statements that runMigration runs on an empty database', () => {
  expect(readFileSync(migration, 'utf8')).toBe(statements.map((sql) => `${sql};\n`).join(''));
});

it('MIGR-03 ten migrations of one empty D1 database at once give what the file gives', async () => {
  const code = await databaseOf('CODE');
  const results = await Promise.all(Array.from({ length: 10 }, () => runMigration(code)));
  expect(new Set(results.map(({ current }) => current))).toEqual(new Set([SCHEMA_VERSION]));
  const file = await databaseOf('FILE');
  await file.batch(statements.map((sql) => file.prepare(sql)));
  expect(await schemaOf(code)).toEqual(await schemaOf(file));
  const { sessions } = new D1StateStore({ database: file, migrate: false });
  expect(await sessions.load('s')).toBe(null);
});

it('a D1 store with `migrate: false` refuses a database without tables, and says what to do', async () => {
  const { sessions } = new D1StateStore({ database: await databaseOf('OLD'), migrate: false });
  await expect(sessions.load('s')).rejects.toThrow(/no tables of Helix Agents.*migrat/s);
});
