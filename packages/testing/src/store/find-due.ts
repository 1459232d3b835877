// If this fails: a sweep misses sessions whose owner died and questions whose time is over, or wakes
// sessions that are well.
import { rootRef } from '@helix-agents/core/store';
import type { SessionRow } from '@helix-agents/core';
import { describe, expect, it } from 'vitest';
import type { OpenStore, Store } from './harness.ts';
import { seed } from './plans.ts';
import { callRow, HOUR, referenceRow, sessionRow, settledCallRow, T0 } from './rows.ts';

async function seedRoots(store: Store, ...rows: readonly Partial<SessionRow>[]): Promise<void> {
  for (const row of rows) await seed(store, { sessions: [sessionRow(row)] });
}

export function findDue(open: OpenStore): void {
  describe('findDue', () => {
    const due = (store: Store, limit = 100): ReturnType<Store['findDue']> =>
      store.findDue({ now: T0, hostKind: 'js', limit });

    it('lists only what is due among 1,000', async () => {
      const { store } = await open();
      const suspended = { status: 'suspended_client_tool' } as const;
      for (let index = 0; index < 1_000; index += 1) {
        const sessionId = `s-${index}`;
        const isOverdue = index === 500;
        const isPurgeable = index === 700;
        const isRemindable = index === 300;
        const isAnswered = index === 100;
        const waits = isAnswered ? ({ state: 'answered', outcome: 'approved' } as const) : {};
        await seed(store, {
          sessions: [sessionRow({ sessionId, ...suspended })],
          calls: [
            callRow('a', {
              rootId: sessionId,
              deadlineAt: T0 + (isOverdue ? -HOUR : HOUR),
              remindAt: T0 + (isRemindable ? -HOUR : HOUR),
              ...waits,
            }),
            callRow('b', { rootId: sessionId, ...waits }),
            settledCallRow('c', { rootId: sessionId, purgeAt: T0 + (isPurgeable ? -HOUR : HOUR) }),
          ],
        });
      }
      expect(await due(store)).toEqual({
        overdueTops: [rootRef('s-500')],
        purgeableTops: [rootRef('s-700')],
        remindableTops: [rootRef('s-300')],
        wakeableTops: [],
        unreportedTops: [],
        answeredTops: [sessionRow({ sessionId: 's-100', ...suspended })],
        deadTops: [],
        closing: [],
      });
      await store.expireCalls(rootRef('s-500'), T0);
      await store.takeReminders(rootRef('s-300'), T0);
      await store.purgeCalls(rootRef('s-700'), T0);
      await store.deleteSession({ rootId: 's-100', sessionId: 's-100' });
      expect(Object.values(await due(store)).flat()).toEqual([]);
    });

    it('finds running roots whose lease is over, or of this host kind and not started', async () => {
      const { store } = await open();
      const over = { leaseOwner: 'a', leaseUntil: T0 - HOUR };
      const alive = { leaseOwner: 'a', leaseUntil: T0 + HOUR };
      await seedRoots(
        store,
        { sessionId: 'over', ...over },
        { sessionId: 'over-elsewhere', hostKind: 'do', ...over },
        { sessionId: 'alive', ...alive },
        { sessionId: 'no-lease' },
        { sessionId: 'not-started', started: false },
        { sessionId: 'not-started-elsewhere', hostKind: 'dbos', started: false },
        { sessionId: 'ended', status: 'completed', started: false, ...over },
        { sessionId: 'waiting', status: 'suspended_client_tool', ...over },
      );
      const child = sessionRow({ sessionId: 'child', rootId: 'tree', ...over });
      await seed(store, { sessions: [sessionRow({ sessionId: 'tree', ...alive }), child] });
      const { deadTops } = await due(store);
      const ids = deadTops.map((row) => row.sessionId).toSorted();
      expect(ids).toEqual(['not-started', 'over', 'over-elsewhere']);
      expect(deadTops.find((row) => row.sessionId === 'not-started')).toEqual(
        sessionRow({ sessionId: 'not-started', started: false }),
      );
    });

    it('reminds of nothing that is ahead, taken, answered or settled', async () => {
      const { store } = await open();
      const remindAt = T0 - HOUR;
      await seed(store, {
        sessions: [sessionRow()],
        calls: [
          callRow('ahead', { remindAt: T0 + HOUR }),
          callRow('taken'),
          callRow('answered', { remindAt, state: 'answered', outcome: 'approved' }),
          settledCallRow('settled', { remindAt }),
        ],
      });
      expect((await due(store)).remindableTops).toEqual([]);
    });

    it('finds references that are closing, whoever their parent is', async () => {
      const { store } = await open();
      const child = sessionRow({ sessionId: 'child', rootId: 's1', status: 'failed' });
      const closing = { state: 'closing', closeReason: 'aborted' } as const;
      await seed(store, {
        sessions: [sessionRow({ status: 'failed' }), child],
        references: [
          referenceRow('child', closing),
          referenceRow('live'),
          referenceRow('closed', { state: 'closed' }),
          referenceRow('grandchild', { sessionId: 'child', ...closing }),
        ],
      });
      const found = (await due(store)).closing.toSorted((a, b) =>
        a.subSessionId < b.subSessionId ? -1 : 1,
      );
      expect(found).toEqual([
        { parent: { rootId: 's1', sessionId: 's1' }, subSessionId: 'child' },
        { parent: { rootId: 's1', sessionId: 'child' }, subSessionId: 'grandchild' },
      ]);
    });

    it('gives no more than its limit of each, and each root once', async () => {
      const { store } = await open();
      for (let index = 0; index < 5; index += 1) {
        const sessionId = `s-${index}`;
        const ofRoot = { rootId: sessionId };
        await seed(store, {
          sessions: [sessionRow({ sessionId, leaseOwner: 'a', leaseUntil: T0 - HOUR })],
          calls: [
            callRow('a', { ...ofRoot, deadlineAt: T0 - HOUR, remindAt: T0 - HOUR }),
            callRow('b', { ...ofRoot, deadlineAt: T0 - HOUR, remindAt: T0 }),
            settledCallRow('c', { ...ofRoot, purgeAt: T0 - HOUR }),
            settledCallRow('d', { ...ofRoot, purgeAt: T0 - HOUR }),
          ],
          references: [referenceRow('x', { sessionId, state: 'closing' })],
        });
      }
      const some = await due(store, 3);
      const { answeredTops, wakeableTops, unreportedTops, ...others } = some;
      const none = [answeredTops, wakeableTops, unreportedTops];
      expect(none.flat(), 'these wait').toEqual([]);
      for (const found of Object.values(others)) expect(found).toHaveLength(3);
      const all = await due(store, 50);
      const five = ['s-0', 's-1', 's-2', 's-3', 's-4'];
      for (const tops of [all.overdueTops, all.purgeableTops, all.remindableTops]) {
        expect(tops.map(({ sessionId }) => sessionId).toSorted()).toEqual(five);
      }
      expect(all.deadTops).toHaveLength(5);
      expect(all.closing).toHaveLength(5);
    });

    it('RECV-08 leaves roots out of every list, and the limit counts what is left', async () => {
      const { store } = await open();
      const roots = Array.from(
        { length: 300 },
        (_, index) => `s:${String(index).padStart(3, '0')}`,
      );
      for (const [index, sessionId] of roots.entries()) {
        const at = { rootId: sessionId };
        const waiting = {
          sessionId: `${sessionId}-waits`,
          status: 'suspended_client_tool',
        } as const;
        await seed(store, {
          sessions: [
            sessionRow({ sessionId, leaseUntil: T0 - HOUR + index, updatedAt: T0 - HOUR + index }),
          ],
          calls: [
            callRow('a', { ...at, deadlineAt: T0 - HOUR, remindAt: T0 - HOUR }),
            settledCallRow('b', { ...at, purgeAt: T0 - HOUR }),
          ],
          references: [referenceRow('x', { sessionId, state: 'closing' })],
        });
        await seed(store, {
          sessions: [sessionRow({ ...waiting, updatedAt: T0 - HOUR + index })],
          calls: [
            callRow('a', { rootId: waiting.sessionId, state: 'answered', outcome: 'approved' }),
          ],
        });
      }
      const except = roots.slice(0, 295).flatMap((id) => [id, `${id}-waits`]);
      const found = await store.findDue({ now: T0, hostKind: 'js', limit: 3, except });
      const left = roots.slice(295);
      for (const tops of [found.overdueTops, found.remindableTops, found.purgeableTops]) {
        expect(tops).toHaveLength(3);
        expect(left).toEqual(expect.arrayContaining(tops.map(({ sessionId }) => sessionId)));
      }
      const first = left.slice(0, 3);
      expect(found.deadTops.map((row) => row.sessionId)).toEqual(first);
      expect(found.answeredTops.map((row) => row.sessionId)).toEqual(
        first.map((id) => `${id}-waits`),
      );
      expect(found.closing).toHaveLength(3);
      for (const { parent } of found.closing) expect(left).toContain(parent.sessionId);
    });
  });
}
