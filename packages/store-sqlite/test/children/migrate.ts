// Arguments: the file, the number of the statement before which to die (none: never), and
// `autocommit` for a driver that has no transactions around schema changes.
import { runMigrations, sqliteDialect, type SqlDriver } from '@helix-agents/store-sql';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { openSqlite } from '../../src/index.ts';

const [file, dieBefore, mode] = process.argv.slice(2) as [string, string?, string?];

if (dieBefore !== undefined) {
  let left = Number(dieBefore);
  const { run } = Object.getOwnPropertyDescriptors(StatementSync.prototype);
  StatementSync.prototype.run = function (this: StatementSync, ...args: unknown[]) {
    if (this.sourceSQL.startsWith('create') || this.sourceSQL.startsWith('insert')) {
      if (left === 0) process.kill(process.pid, 'SIGKILL');
      left -= 1;
    }
    return run.value!.apply(this, args as never);
  } as StatementSync['run'];
}

if (mode === 'autocommit') {
  const database = new DatabaseSync(file, { timeout: 5000 });
  const driver: SqlDriver = {
    dialect: sqliteDialect,
    canStop: false,
    batch: async (statements) =>
      statements.map(({ sql, params }) => {
        database.prepare(sql).run(...params);
        return { changes: 0, rows: [] };
      }),
    readBatch: async () => [],
    all: async ({ sql, params }) => database.prepare(sql).all(...params),
    isUniqueViolation: () => false,
  };
  await runMigrations(driver);
} else {
  const { stateStore, close } = openSqlite(file);
  await stateStore.sessions.readSession({ rootId: 's1', sessionId: 's1' });
  close();
}
process.stdout.write('ready');
