// What processes that are stopped and killed open: a file.
import type { Stores } from '@helix-agents/test-processes';
import { openSqlite } from '../src/index.ts';

export function openStores(file: string): Stores {
  return openSqlite(file, { synchronous: 'normal' });
}
