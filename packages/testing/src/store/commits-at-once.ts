// If this fails: commits of several sessions that arrive together are not what they would be alone.
import type { CommitPlan, SessionStore } from '@helix-agents/core/store';
import { describe, expect, it } from 'vitest';
import type { OpenStore } from './harness.ts';
import { planFor, seed } from './plans.ts';
import { checkpointRow, messageRow, runRow, sessionRow, startRow, usageRow } from './rows.ts';

const ids = Array.from({ length: 24 }, (_, index) => `s${String(index).padStart(2, '0')}`);

const ref = (sessionId: string): { rootId: string; sessionId: string } => ({
  rootId: sessionId,
  sessionId,
});

/** The commit of a step, on a session of its own. */
function step(sessionId: string): CommitPlan {
  const { runId } = sessionRow({ sessionId });
  return planFor(sessionRow({ sessionId }), {
    guard: {
      sessions: [{ sessionId, version: 1, epoch: 1, records: 0, status: ['running'] }],
      interruptsAbsent: [{ sessionId, runId }],
    },
    insert: {
      messages: [1, 2].map((n) => messageRow(n, { sessionId })),
      journal: [startRow('a', { sessionId, stepId: 7 })],
      checkpoints: [checkpointRow(2, { sessionId })],
      usage: [usageRow(`u-${sessionId}`, { sessionId, rootId: sessionId })],
    },
    update: { runs: [{ runId: `r-${sessionId}`, set: { stepCount: 5 } }] },
  });
}

async function seedAll(store: SessionStore): Promise<void> {
  for (const sessionId of ids) {
    await seed(store, {
      sessions: [sessionRow({ sessionId })],
      runs: [runRow(`r-${sessionId}`, { sessionId })],
    });
  }
}

const commitAll = (store: SessionStore): Promise<boolean[]> =>
  Promise.all(ids.map((id) => store.commit(step(id))));

export function commitsAtOnce(open: OpenStore): void {
  describe('commits of many sessions at once', () => {
    it('are all there', async () => {
      const { store } = await open();
      await seedAll(store);
      expect(await commitAll(store)).toEqual(ids.map(() => true));
      for (const id of ids) {
        expect(await store.readSession(ref(id))).toMatchObject({ version: 2 });
        expect(await store.readMessages(ref(id))).toHaveLength(2);
        expect(await store.readCheckpoints(ref(id))).toHaveLength(1);
        expect(await store.readRuns(ref(id))).toMatchObject([{ stepCount: 5 }]);
      }
    });

    it('stand for themselves: one that misses leaves nothing, and keeps no other back', async () => {
      const { store } = await open();
      await seedAll(store);
      const late = new Set(ids.filter((_, index) => index % 5 === 3));
      for (const id of late) await store.commit({ ...step(id), insert: {}, update: {} });
      expect(await commitAll(store)).toEqual(ids.map((id) => !late.has(id)));
      for (const id of ids) {
        expect(await store.readMessages(ref(id))).toHaveLength(late.has(id) ? 0 : 2);
        expect((await store.readSession(ref(id)))?.version).toBe(2);
      }
    });

    it('take a key that is taken as the miss of its own plan', async () => {
      const { store } = await open();
      await seedAll(store);
      const clashing = new Set(['s05', 's17']);
      for (const sessionId of clashing) {
        const insert = { messages: [messageRow(1, { sessionId })] };
        await store.commit(
          planFor(sessionRow({ sessionId }), { sessions: [{ sessionId }], insert }),
        );
      }
      expect(await commitAll(store)).toEqual(ids.map((id) => !clashing.has(id)));
      for (const id of ids) {
        expect(await store.readCheckpoints(ref(id))).toHaveLength(clashing.has(id) ? 0 : 1);
      }
    });

    it('go on when one of them was interrupted, which is kept back', async () => {
      const { store } = await open();
      await seedAll(store);
      await store.requestInterrupt(ref('s03'), 'stop', 1);
      expect(await commitAll(store)).toEqual(ids.map((id) => id !== 's03'));
    });

    it('give one session to one of those that commit on it', async () => {
      const { store } = await open();
      await seedAll(store);
      const plans = ids.flatMap((id) => [step(id), step(id), step(id)]);
      const won = await Promise.all(plans.map((plan) => store.commit(plan)));
      expect(won.filter(Boolean)).toHaveLength(ids.length);
      for (const id of ids) expect((await store.readSession(ref(id)))?.version).toBe(2);
    });
  });
}
