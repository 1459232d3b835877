import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testTwoServers } from './two-servers.ts';

testTwoServers('SQLite file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'helix-server-'));
  return {
    database: join(folder, 'agents.db'),
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
});
