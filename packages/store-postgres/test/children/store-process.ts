// Arguments: the command, the database's URL.
import { obeyStoreCommand } from '@helix-agents/testing/processes';
import { openPostgres } from '../../src/index.ts';
import { newPool } from '../new-pool.ts';

const [command = '', url = ''] = process.argv.slice(2);
const pool = newPool(url, 2);
const { close, ...stores } = openPostgres(pool, { hint: true });
process.stdout.write(await obeyStoreCommand(command, stores));
close();
await pool.end();
