// Arguments: the command, the file.
import { obeyStoreCommand } from '@helix-agents/testing/processes';
import { openSqlite } from '../../src/index.ts';

const [command = '', file = ''] = process.argv.slice(2);
const { close, ...stores } = openSqlite(file, { synchronous: 'normal' });
process.stdout.write(await obeyStoreCommand(command, stores));
close();
