import { findStatusLogFault, type StatusOperation } from '@helix-agents/testing';
import { expect, it } from 'vitest';
import { SqliteStateStore } from '../src/index.ts';
import { startChild, temporaryFile } from './child-process.ts';

const script = new URL('./children/move-status.ts', import.meta.url);

it('LOCK-05 moves a status linearizably between four processes', { timeout: 120_000 }, async () => {
  const file = temporaryFile();
  const store = new SqliteStateStore(file, { synchronous: 'normal' });
  await store.createSession('s1');
  const ended = await Promise.all(
    Array.from({ length: 4 }, () => startChild(script, [file, '2000']).ended),
  );
  const logs = ended.map(({ output }) => JSON.parse(output) as StatusOperation[]);
  const log = logs.flat();
  expect(log).toHaveLength(8000);
  expect(findStatusLogFault(log, { version: 1, status: 'active' })).toBeNull();
  const won = log.filter(({ result }) => result.ok).length;
  expect(await store.loadState('s1')).toMatchObject({ version: won + 1 });
  store.close();
});
