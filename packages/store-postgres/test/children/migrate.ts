// Argument: the database's URL. Opens a store, which brings the schema up to date, and prints `ready`.
import { createPgAdapter, PostgresStateStore } from '../../src/index.ts';
import { newPool } from '../new-pool.ts';

const pool = newPool(process.argv[2] ?? '', 1);
const store = new PostgresStateStore(createPgAdapter(pool));
await store.sessions.readSession({ rootId: 's1', sessionId: 's1' });
process.stdout.write('ready');
await pool.end();
