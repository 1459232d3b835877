// If this fails: a database made by `wrangler d1 migrations apply` differs from one that the code made.
import { renderMigration, SCHEMA_VERSION, sqliteDialect } from '@helix-agents/store-sql';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it('the file for wrangler has the statements that runMigration runs on an empty database', () => {
  const file = new URL(
    `../migrations/${String(SCHEMA_VERSION).padStart(4, '0')}_helix_agents.sql`,
    import.meta.url,
  );
  const statements = renderMigration(sqliteDialect).map(
    ({ sql, params }) => `${sql.trim().replaceAll('?1', String(params[0]))};\n`,
  );
  expect(readFileSync(file, 'utf8')).toBe(statements.join(''));
});
