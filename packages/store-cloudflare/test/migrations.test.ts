// If this fails: a database made by `wrangler d1 migrations apply` differs from one that the code made, or Workers that start at
// once break each other's first migration.
import { renderMigration, SCHEMA_VERSION, sqliteDialect } from '@helix-agents/store-sql';
import { startWorker } from '@helix-agents/test-servers';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { Migrated } from './worker/migrate.ts';

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const migration = file(`../migrations/${String(SCHEMA_VERSION).padStart(4, '0')}_helix_agents.sql`);
const statements = renderMigration(sqliteDialect).map(({ sql, params }) =>
  sql.trim().replaceAll('?1', String(params[0])),
);

it('the file for wrangler has the statements that runMigration runs on an empty database', () => {
  expect(readFileSync(migration, 'utf8')).toBe(statements.map((sql) => `${sql};\n`).join(''));
});

it('MIGR-01 ten migrations of one empty D1 database at once give what the file gives', async () => {
  const worker = await startWorker(file('./worker/migrate.ts'), {
    d1Databases: { CODE: 'code', FILE: 'file', EMPTY: 'empty' },
  });
  const body = JSON.stringify(statements);
  const reply = await worker.dispatchFetch('http://worker', { method: 'POST', body });
  const { versions, byCode, byFile, refusals } = (await reply.json()) as Migrated;
  await worker.dispose();
  expect(versions).toEqual(versions.map(() => SCHEMA_VERSION));
  expect(byCode.length).toBeGreaterThan(20);
  expect(byCode).toEqual(byFile);
  expect(refusals.FILE).toBe('');
  expect(refusals.EMPTY).toMatch(/no tables of Helix Agents.*migrat/s);
});
