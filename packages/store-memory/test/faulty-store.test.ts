import { createMemorySessionStore, MemoryDatabase } from '@helix-agents/store-memory';
import { faultyStore, planFor, seed, sessionRow, type StoreFault } from '@helix-agents/testing';
import { describe, expect, it } from 'vitest';

const row = sessionRow();

describe('a faulty store', () => {
  it.each([
    ['pass', 2],
    ['fail-before', 1],
    ['fail-after', 2],
  ] as const)('%s leaves the session at version %i', async (fault, version) => {
    const real = createMemorySessionStore(new MemoryDatabase());
    await seed(real, { sessions: [row] });
    const asked: string[] = [];
    const store = faultyStore(real, (method, plan): StoreFault => {
      asked.push(`${method} ${plan?.commitId ?? ''}`.trim());
      return method === 'commit' ? fault : 'pass';
    });
    const plan = planFor(row);
    const commit = store.commit(plan);
    if (fault === 'pass') expect(await commit).toBe(true);
    else await expect(commit).rejects.toMatchObject({ name: 'InjectedFaultError' });
    expect((await store.readSession(row))?.version).toBe(version);
    expect(asked).toEqual([`commit ${plan.commitId}`, 'readSession']);
  });
});
