import { runMigrations } from '@helix-agents/store-sql';
import { bareDriver } from './d1-connection.ts';
import type { D1Like } from './d1-database.ts';

/**
 * Migrates a D1 database to the schema of this release in one transaction, and gives its version. It does nothing if that is done
 * already. Any number of Workers may call it at once.
 */
export function runMigration(database: D1Like): Promise<{ readonly current: number }> {
  return runMigrations(bareDriver(database));
}
