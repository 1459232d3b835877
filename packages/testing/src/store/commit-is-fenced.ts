// If this fails: two processes both believe they own a session, and a paused one that wakes up
// overwrites what its successor did - answers lost, tools run twice.
import { callKey } from '@helix-agents/core/store';
import type { SessionRow } from '@helix-agents/core';
import type { SessionGuard } from '@helix-agents/core/store';
import { describe, expect, it } from 'vitest';
import { inParallel } from './everything.ts';
import type { OpenStore } from './harness.ts';
import { planFor, recordFor, seed } from './plans.ts';
import {
  callRow,
  HOUR,
  referenceRow,
  resultRow,
  sessionRow,
  settledCallRow,
  startRow,
  T0,
} from './rows.ts';

type Given = Omit<SessionGuard, 'sessionId'>;

const row = sessionRow({ version: 4, epoch: 3, stepId: 9, records: 2 });

const sessionGuards: readonly [string, Given, boolean, Partial<SessionRow>?][] = [
  ['the same version', { version: 4 }, true],
  ['an older version', { version: 3 }, false],
  ['a newer version', { version: 5 }, false],
  ['the same epoch', { epoch: 3 }, true],
  ['an older epoch', { epoch: 2 }, false],
  ['the same step', { stepId: 9 }, true],
  ['an older step', { stepId: 8 }, false],
  ['the same records', { records: 2 }, true],
  ['older records', { records: 1 }, false],
  ['one of several statuses', { status: ['interrupted', 'running'] }, true],
  ['other statuses', { status: ['interrupted', 'failed'] }, false],
  ['no status at all', { status: [] }, false],
  ['an expired lease, without a lease', { leaseExpired: true }, true],
  ['an expired lease, past its time', { leaseExpired: true }, true, { leaseUntil: T0 - 1 }],
  ['an expired lease, at its time', { leaseExpired: true }, true, { leaseUntil: T0 }],
  ['an expired lease, ahead of it', { leaseExpired: true }, false, { leaseUntil: T0 + HOUR }],
  ['an absent session that is there', { absent: true }, false],
  ['all fields, one stale', { version: 4, epoch: 3, stepId: 9, records: 1 }, false],
  ['all fields', { version: 4, epoch: 3, stepId: 9, records: 2, status: ['running'] }, true],
];

export function commitIsFenced(open: OpenStore): void {
  describe('a fenced commit', () => {
    it.each(sessionGuards)('names %s', async (_, guard, holds, given = {}) => {
      const { store } = await open();
      await seed(store, { sessions: [{ ...row, leaseOwner: 'a', ...given }] });
      const plan = planFor(row, { guard: { sessions: [{ sessionId: 's1', ...guard }] } });
      expect(await store.commit(plan)).toBe(holds);
      expect((await store.readSession(row))?.version).toBe(holds ? 5 : 4);
    });

    it('names a session it does not change', async () => {
      const { store } = await open();
      const child = sessionRow({ sessionId: 'c', rootId: 's1' });
      await seed(store, { sessions: [row, child] });
      const guarded = (records: number): Promise<boolean> =>
        store.commit(planFor(row, { guard: { sessions: [{ sessionId: 'c', records }] } }));
      expect(await guarded(1)).toBe(false);
      expect(await guarded(0)).toBe(true);
      expect(await store.readSession(child)).toEqual(child);
    });

    it('misses when a session it changes is not there, with and without a guard', async () => {
      const { store } = await open();
      await seed(store, { sessions: [row] });
      const sessions = [{ sessionId: 's1' }, { sessionId: 'nobody' }];
      expect(await store.commit(planFor(row, { guard: {}, sessions }))).toBe(false);
      expect(await store.commit(planFor(sessionRow({ sessionId: 'nobody' })))).toBe(false);
      expect(await store.commit(planFor(row, { guard: {} })), 'only has to exist').toBe(true);
    });

    it('names the outcome of a call', async () => {
      const { store } = await open();
      const approved = callRow('a', { state: 'answered', outcome: 'approved' });
      await seed(store, { sessions: [row], calls: [approved, settledCallRow('b')] });
      const named = (call: typeof approved, outcome: 'approved' | 'denied'): Promise<boolean> =>
        store.commit(
          planFor(row, { guard: { calls: [{ key: callKey(call), state: 'answered', outcome }] } }),
        );
      expect(await named(approved, 'denied')).toBe(false);
      expect(await named(callRow('b'), 'approved')).toBe(false);
      expect(await named(callRow('c'), 'approved')).toBe(false);
      expect(await named(approved, 'approved')).toBe(true);
    });

    it('names the state of a reference', async () => {
      const { store } = await open();
      await seed(store, { sessions: [row], references: [referenceRow('c')] });
      const named = (subSessionId: string, state: 'live' | 'closing'): Promise<boolean> =>
        store.commit(
          planFor(row, { guard: { references: [{ sessionId: 's1', subSessionId, state }] } }),
        );
      expect(await named('c', 'closing')).toBe(false);
      expect(await named('d', 'live')).toBe(false);
      expect(await named('c', 'live')).toBe(true);
    });

    it('raises only what it is told to raise', async () => {
      const { store } = await open();
      await seed(store, { sessions: [row] });
      const raise = { records: true } as const;
      await store.commit(planFor(row, { sessions: [{ sessionId: 's1', raise }] }));
      expect(await store.readSession(row)).toEqual({ ...row, records: 3 });
      await store.commit(planFor(row, { sessions: [{ sessionId: 's1', set: { epoch: 4 } }] }));
      expect(await store.readSession(row)).toEqual({ ...row, records: 3, epoch: 4 });
    });

    it('refuses records of an older epoch or step', async () => {
      const { store } = await open();
      await seed(store, { sessions: [row] });
      const record = { journal: [startRow('a', { stepId: 9 })] };
      expect(await store.commit(recordFor({ ...row, epoch: 2 }, record))).toBe(false);
      expect(await store.commit(recordFor({ ...row, stepId: 8 }, record))).toBe(false);
      expect((await store.readStep(row))?.journal).toEqual([]);
      expect(await store.commit(recordFor(row, record))).toBe(true);
    });

    it('lets one of 64 racers win', async () => {
      const { store } = await open();
      await seed(store, { sessions: [row] });
      const won = await inParallel(64, (racer) =>
        store.commit(
          planFor(row, {
            sessions: [
              { sessionId: 's1', set: { leaseOwner: `${racer}` }, raise: { version: true } },
            ],
            insert: { journal: [resultRow(racer, { stepId: 9, index: racer })] },
          }),
        ),
      );
      expect(won.filter(Boolean)).toHaveLength(1);
      const winner = won.indexOf(true);
      const step = await store.readStep(row);
      expect(step?.session).toMatchObject({ version: 5, leaseOwner: `${winner}` });
      expect(step?.journal.map((entry) => entry.index)).toEqual([winner]);
    });

    // C1: the log of compare-and-set on a version is linearizable exactly when each version has one winner.
    it('has one winner per version when racers read, decide and try again', async () => {
      const { store } = await open();
      await seed(store, { sessions: [sessionRow()] });
      const wins: number[] = [];
      await inParallel(8, async () => {
        for (let tries = 0; tries < 25; tries += 1) {
          const session = (await store.readSession(sessionRow())) as SessionRow;
          if (await store.commit(planFor(session))) wins.push(session.version);
        }
      });
      const final = (await store.readSession(sessionRow()))?.version;
      expect(wins.toSorted((a, b) => a - b)).toEqual(wins.map((_, index) => index + 1));
      expect(final).toBe(wins.length + 1);
    });
  });
}
