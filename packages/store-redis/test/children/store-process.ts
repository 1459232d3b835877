// Arguments: the command, the server's URL, the prefix.
import { obeyStoreCommand } from '@helix-agents/testing/processes';
import { Redis } from 'ioredis';
import { overClient } from '../over-client.ts';

const [command = '', url = '', prefix = ''] = process.argv.slice(2);
const { close, ...stores } = overClient(new Redis(url), prefix);
process.stdout.write(await obeyStoreCommand(command, stores));
close();
