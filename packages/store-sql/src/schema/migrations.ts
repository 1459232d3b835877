import { HelixError } from '@helix-agents/core';
import { StoreSchemaError } from '@helix-agents/core';
import type { Dialect } from '../dialect.ts';
import type { SqlDriver, Statement, StatementResult } from '../driver.ts';
import { createFence } from './fence.ts';

import { version10 } from './version-10.ts';
import { version11 } from './version-11.ts';
import { version12 } from './version-12.ts';
import { version13 } from './version-13.ts';
import { version14 } from './version-14.ts';
import { version15 } from './version-15.ts';

/** Ascending. Versions below 10 belong to schemas of earlier products. */
const migrations: readonly {
  readonly version: number;
  readonly statements: (dialect: Dialect) => readonly string[];
}[] = [
  { version: 10, statements: version10 },
  { version: 11, statements: version11 },
  { version: 12, statements: version12 },
  { version: 13, statements: version13 },
  { version: 14, statements: version14 },
  { version: 15, statements: version15 },
];

const FIRST_VERSION = 10;

/** The version this code reads and writes. */
export const SCHEMA_VERSION: number = Math.max(...migrations.map(({ version }) => version));

/** Version of the schema in the database, 0 when there is none. */
export async function readSchemaVersion(driver: SqlDriver): Promise<number> {
  const tables = await driver.all({ sql: driver.dialect.findTable, params: [table] });
  if (tables.length === 0) return 0;
  const [row] = await driver.all({
    sql: `select max(version) as version from ${table}`,
    params: [],
  });
  return Number(row?.['version'] ?? 0);
}

/**
 * Migrates the database to `SCHEMA_VERSION` in one write, and gives the resulting version. Any number of processes may do so at
 * once, and each may die at any point: every statement can run again, and the version is stored after the last one. If a process of a
 * later release migrates first, nothing is written and this throws.
 */
export async function runMigrations(driver: SqlDriver): Promise<{ readonly current: number }> {
  const found = await readSchemaVersion(driver);
  assertNotForeign(found);
  const missing = migrations.filter(({ version }) => version > found);
  if (missing.length === 0) return { current: found };
  await migrate(
    driver,
    missing.flatMap(({ statements }) => statements(driver.dialect)),
  );
  const current = await readSchemaVersion(driver);
  assertNotForeign(current);
  return { current };
}

/** The statements that `runMigrations` would run on an empty database, for tools that apply files. */
export function renderMigration(dialect: Dialect): readonly Statement[] {
  const all = migrations.flatMap(({ statements }) => statements(dialect));
  return dialect.migration(SCHEMA_VERSION, all);
}

/** Throws unless the database is at the version of this code. */
export async function assertSchema(driver: SqlDriver): Promise<void> {
  const found = await readSchemaVersion(driver);
  assertNotForeign(found);
  if (found < SCHEMA_VERSION) {
    const what =
      found === 0
        ? 'The database has no tables of Helix Agents'
        : `The database is at schema version ${found} and this code needs ${SCHEMA_VERSION}`;
    throw new StoreSchemaError(`${what}: ${driver.dialect.howToMigrate}.`);
  }
}

/**
 * A driver that migrates or checks the schema before its first statement, and again if that failed. Its writes are refused once a newer
 * release has migrated the database.
 */
export function withSchema(driver: SqlDriver, migrate: boolean): SqlDriver {
  let isReady = false;
  let preparing: Promise<unknown> | undefined;
  const prepare = async (): Promise<void> => {
    preparing ??= migrate ? runMigrations(driver) : assertSchema(driver);
    try {
      await preparing;
      isReady = true;
    } finally {
      preparing = undefined;
    }
  };
  const prepared = <T>(use: () => Promise<T>): Promise<T> =>
    isReady ? use() : prepare().then(use);
  const fence = createFence(driver.dialect, SCHEMA_VERSION);
  const refused = (error: unknown): never => {
    throw fence.explain(error);
  };
  return {
    dialect: driver.dialect,
    canStop: driver.canStop,
    async batch(statements, options) {
      const write = (): Promise<readonly StatementResult[]> =>
        driver.batch(fence.around(statements), options);
      return (await prepared(write).catch(refused)).slice(0, statements.length);
    },
    readBatch: (reads) => prepared(() => driver.readBatch(reads)),
    all: (query) => prepared(() => driver.all(query)).catch(refused),
    isUniqueViolation: (error) => driver.isUniqueViolation(error),
  };
}

const table = '__agents_migrations';

async function migrate(driver: SqlDriver, statements: readonly string[]): Promise<void> {
  const write = driver.dialect.migration(SCHEMA_VERSION, statements);
  try {
    await driver.batch(write);
  } catch (cause) {
    if (HelixError.isInstance(cause) && cause.retryable) throw cause;
    if (driver.isUniqueViolation(cause) && (await readSchemaVersion(driver)) >= SCHEMA_VERSION) {
      return;
    }
    throw new StoreSchemaError(
      `The tables __agents_* could not be created or changed (schema version ${SCHEMA_VERSION}): give the database user the right ` +
        `to create tables, or migrate as a user that has it: ${driver.dialect.howToMigrate}.`,
      cause,
    );
  }
}

function assertNotForeign(found: number): void {
  if (found > SCHEMA_VERSION) {
    throw new StoreSchemaError(
      `The database is at schema version ${found}, which is newer than this code (${SCHEMA_VERSION}): update the code.`,
    );
  }
  if (found > 0 && found < FIRST_VERSION) {
    throw new StoreSchemaError(
      `The database holds __agents_* tables of an earlier product (schema version ${found}): use another database.`,
    );
  }
}
