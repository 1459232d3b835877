import { callKey } from '@helix-agents/core/store';
import type { CommitPlan } from '@helix-agents/core/store';
import { createMemorySessionStore, MemoryDatabase } from '@helix-agents/store-memory';
import { callRow, planFor, resultRow, seed, sessionRow } from '@helix-agents/testing';
import { describe, expect, it } from 'vitest';

const row = sessionRow();

describe('an invalid plan throws on the memory store', () => {
  it.each<[string, Partial<CommitPlan>]>([
    ['without a session', { sessions: [] }],
    ['with a session twice', { sessions: [{ sessionId: 's1' }, { sessionId: 's1' }] }],
    ['that inserts and updates a session', { insert: { sessions: [row] } }],
    [
      'that inserts and updates a call',
      {
        insert: { calls: [callRow('a')] },
        update: { calls: [{ key: callKey(callRow('a')), set: { userId: 'x' } }] },
      },
    ],
    ['with a row of another root', { insert: { calls: [callRow('a', { rootId: 's2' })] } }],
    [
      'that writes into a journal it removes',
      {
        insert: { journal: [resultRow('a')] },
        remove: { journal: [{ sessionId: 's1', stepId: 1 }] },
      },
    ],
  ])('%s', async (_, parts) => {
    const store = createMemorySessionStore(new MemoryDatabase());
    await seed(store, { sessions: [row] });
    await expect(store.commit(planFor(row, parts))).rejects.toThrow(/^commit /);
    expect(await store.readSession(row)).toEqual(row);
  });
});
