import {
  testKillStorm,
  testSigkill,
  testTwoProcesses,
  type SharedStoreOptions,
} from '@helix-agents/test-processes';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const sqlite: SharedStoreOptions = {
  name: 'sqlite',
  create: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'helix-sigkill-'));
    const module = new URL('./stores.ts', import.meta.url).href;
    return {
      address: { module, args: [join(folder, 'agents.db')] },
      close: async () => rmSync(folder, { recursive: true, force: true }),
    };
  },
};

testSigkill(sqlite);
testTwoProcesses(sqlite);
testKillStorm(sqlite);
