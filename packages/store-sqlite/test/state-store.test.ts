import { testStateStore } from '@helix-agents/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteStateStore } from '../src/index.ts';

testStateStore({
  name: 'sqlite',
  create: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'helix-sqlite-'));
    const opened: SqliteStateStore[] = [];
    const open = (): SqliteStateStore => {
      const store = new SqliteStateStore(join(folder, 'agents.db'), { synchronous: 'normal' });
      opened.push(store);
      return store;
    };
    return {
      store: open(),
      openSecond: async () => open(),
      close: async () => {
        for (const store of opened) store.close();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
  capabilities: { shared: true },
});
