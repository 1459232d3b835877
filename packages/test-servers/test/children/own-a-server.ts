// Starts a server, says which, and waits to be killed.
import { startPostgres } from '@helix-agents/test-servers';

const { pid, directory } = await startPostgres();
console.log(JSON.stringify({ pid, directory }));
setInterval(() => {}, 60_000);
