import type { LoopRun, Operations } from '@helix-agents/core/host';
import type { SessionStore } from '@helix-agents/core/store';
import {
  createMemorySessionStore,
  InMemoryUsageStore,
  MemoryDatabase,
} from '@helix-agents/store-memory';
import { expect, it } from 'vitest';
import {
  InjectedFaultError,
  planFor,
  seed,
  sessionRow,
  splitHost,
  type SplitDatabase,
} from '../src/index.ts';

function newDatabase(): SplitDatabase {
  const database = new MemoryDatabase();
  const store = createMemorySessionStore(database);
  return { sessions: store, index: store, usage: new InMemoryUsageStore({ database }) };
}

const root = sessionRow();
const child = sessionRow({ sessionId: 's1-sub-1-0', rootId: 's1' });

it('splitHost gives each session a database of its own, the same one every time', async () => {
  const { databases, index } = splitHost({ newDatabase, seed: 1, lostReplies: 0 });
  expect(databases.of(root)).toBe(databases.of({ ...root }));
  expect(databases.of(root)).not.toBe(databases.of(child));
  await seed(databases.of(root), { sessions: [root] });
  await seed(databases.of(child), { sessions: [child] });
  expect(await databases.of(root).readSession(child)).toBeNull();
  const all = await index.listSessions({ rootsOnly: false });
  expect(all.items.map((row) => row.sessionId).toSorted()).toEqual(['s1', 's1-sub-1-0']);
  expect((await index.listSessions()).items).toHaveLength(1);
});

it('splitHost applies a commit, loses its reply, and lets the same one through the second time', async () => {
  const { databases } = splitHost({ newDatabase, seed: 1, lostReplies: 100 });
  const store: SessionStore = databases.of(root);
  const insert = { sessions: [root] };
  const plan = planFor(root, { guard: {}, sessions: [], insert });
  await expect(store.commit(plan)).rejects.toThrow(InjectedFaultError);
  expect(await store.readSession(root)).toEqual(root);
  await expect(store.commit(plan)).resolves.toBe(false);
});

it('splitHost repeats operations by the rule of its seed', async () => {
  const run: LoopRun = {
    rootId: 's1',
    sessionId: 's1',
    runId: 'r',
    epoch: 1,
    agentType: 'root',
    loopVersion: 1,
  };
  const timesAsked = async (given: number): Promise<number> => {
    const { seams } = splitHost({ newDatabase, seed: given });
    let asked = 0;
    const begin = async (): Promise<{ ok: true }> => {
      asked += 1;
      return { ok: true };
    };
    const operations = seams.wrapOperations?.({ begin } as Partial<Operations> as Operations);
    for (let n = 0; n < 20; n += 1) expect(await operations?.begin(run)).toEqual({ ok: true });
    return asked;
  };
  expect(await timesAsked(7)).toBeGreaterThan(24);
  expect(await timesAsked(7)).toBe(await timesAsked(7));
});
