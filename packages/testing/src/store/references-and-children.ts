// If this fails: a parent loses sight of a child and starts it a second time, or a question asked
// three levels down is not seen, or is seen by the wrong agent.
import { describe, expect, it } from 'vitest';
import { sorted } from './everything.ts';
import type { OpenStore, Store } from './harness.ts';
import { planFor, seed } from './plans.ts';
import { callRow, referenceRow, refOf, sessionRow, settledCallRow } from './rows.ts';

const root = sessionRow();
const left = sessionRow({ sessionId: 's1-sub-1-0', rootId: 's1' });
const right = sessionRow({ sessionId: 's1-sub-1-1', rootId: 's1' });
const grandchild = sessionRow({
  sessionId: 's1-sub-1-0-sub-1-0',
  rootId: 's1',
  route: ['s1', 's1-sub-1-0', 's1-sub-1-0-sub-1-0'],
});
const asked = callRow('asked', {
  ownerSessionId: grandchild.sessionId,
  route: ['s1', left.sessionId, grandchild.sessionId],
});

async function seedTree(store: Store): Promise<void> {
  await seed(store, {
    sessions: [root, left, right, grandchild],
    calls: [asked],
    references: [
      referenceRow(left.sessionId),
      referenceRow(right.sessionId, { index: 1 }),
      referenceRow(grandchild.sessionId, { sessionId: left.sessionId }),
    ],
  });
}

export function referencesAndChildren(open: OpenStore): void {
  describe('a step of a tree', () => {
    it('shows a call at its owner and at everyone above, and at nobody else', async () => {
      const { store } = await open();
      await seedTree(store);
      for (const session of [root, left, grandchild]) {
        const step = await store.readStep(refOf(session));
        expect(step?.calls, session.sessionId).toEqual([asked]);
        expect(step?.calls[0]?.route, 'from root to owner').toEqual(asked.route);
      }
      expect((await store.readStep(refOf(right)))?.calls).toEqual([]);
    });

    it('does not take one session for another whose id contains it', async () => {
      const { store } = await open();
      const sessions = ['s1', 's', '1', 's1-sub-1-0-sub', 's1"', 's1,s2', '%', 's_'].map((id) =>
        sessionRow({ sessionId: id, rootId: 's1' }),
      );
      const call = callRow('a', { route: ['s1', left.sessionId, '"x,y"'] });
      await seed(store, { sessions: [root, ...sessions.slice(1)], calls: [call] });
      for (const session of sessions.slice(1)) {
        expect((await store.readStep(session))?.calls, session.sessionId).toEqual([]);
      }
    });

    it('shows open and answered calls, not settled ones; reading all calls shows all', async () => {
      const { store } = await open();
      const answered = callRow('b', { state: 'answered', outcome: 'denied' });
      const calls = [callRow('a'), answered, settledCallRow('c')];
      await seed(store, { sessions: [root], calls });
      const seen = (await store.readStep(root))?.calls ?? [];
      expect(sorted(seen)).toEqual(sorted([callRow('a'), answered]));
      expect(sorted(await store.readCalls('s1'))).toEqual(sorted(calls));
      expect(await store.readCalls('s1', { toolCallId: 'c', part: '' })).toEqual([
        settledCallRow('c'),
      ]);
      expect(await store.readCalls('s1', { toolCallId: 'x', part: '' })).toEqual([]);
      expect(await store.readCalls('nobody')).toEqual([]);
    });

    it('holds direct children only', async () => {
      const { store } = await open();
      await seedTree(store);
      const step = await store.readStep(root);
      expect(sorted(step?.children ?? [])).toEqual(sorted([left, right]));
      expect((await store.readStep(refOf(left)))?.children).toEqual([grandchild]);
      expect((await store.readStep(refOf(right)))?.references).toEqual([]);
    });

    it('shows references of this step, and older ones that are not closed', async () => {
      const { store } = await open();
      const references = [
        referenceRow('now-live', { stepId: 3 }),
        referenceRow('now-closed', { stepId: 3, state: 'closed' }),
        referenceRow('old-live', { stepId: 1 }),
        referenceRow('old-closing', { stepId: 2, state: 'closing', closeReason: 'aborted' }),
        referenceRow('old-closed', { stepId: 2, state: 'closed' }),
      ];
      const child = sessionRow({ sessionId: 'old-closed', rootId: 's1' });
      await seed(store, { sessions: [{ ...root, stepId: 3 }, child], references });
      const step = await store.readStep(root);
      expect(sorted(step?.references ?? [])).toEqual(sorted(references.slice(0, 4)));
      expect(step?.children, 'of these references only').toEqual([]);
      expect(sorted(await store.readReferences(root))).toEqual(sorted(references));
    });

    it('updates a reference in place', async () => {
      const { store } = await open();
      await seedTree(store);
      const set = { continuation: 2, state: 'closing', closeReason: 'timeout' } as const;
      const references = [{ sessionId: 's1', subSessionId: left.sessionId, set }];
      await store.commit(planFor(root, { update: { references } }));
      const expected = [
        referenceRow(left.sessionId, set),
        referenceRow(right.sessionId, { index: 1 }),
      ];
      expect(sorted(await store.readReferences(root))).toEqual(sorted(expected));
    });

    it('of a session that is not there is null', async () => {
      const { store } = await open();
      expect(await store.readStep(root)).toBeNull();
      expect(await store.readSession(root)).toBeNull();
      expect(await store.readReferences(root)).toEqual([]);
    });

    it('finds a child that is addressed as if it were a root, with the root it belongs to', async () => {
      const { store } = await open();
      await seedTree(store);
      for (const { sessionId } of [left, grandchild]) {
        const wrong = { rootId: sessionId, sessionId };
        expect((await store.readSession(wrong))?.rootId).toBe('s1');
        expect((await store.readStep(wrong))?.session.rootId).toBe('s1');
      }
    });

    it('has a root that is found by the id of any of its sessions, whatever that is', async () => {
      const { store } = await open();
      await seedTree(store);
      const odd = sessionRow({ sessionId: 'odd %:{x}', rootId: 's1' });
      await seed(store, { sessions: [odd] });
      for (const { sessionId } of [root, left, grandchild, odd])
        expect(await store.findRoot(sessionId), sessionId).toBe('s1');
      expect(await store.findRoot('nobody')).toBeNull();
      await store.deleteSession(left);
      expect(await store.findRoot(grandchild.sessionId)).toBeNull();
    });
  });
}
