// If this fails: a live owner is robbed of its session, or a dead one keeps it for ever.
import type { SessionFilter, SessionRow } from '@helix-agents/core';
import type { CommitPlan, RenewLease } from '@helix-agents/core/store';
import { describe, expect, it } from 'vitest';
import type { OpenStore } from './harness.ts';
import { planFor, seed } from './plans.ts';
import { HOUR, sessionRow, T0 } from './rows.ts';

const lost = { leaseOwner: 'a', leaseUntil: T0 - HOUR };
const row = sessionRow({ epoch: 3, ...lost });

function renewal(given: Partial<RenewLease> = {}): RenewLease {
  return {
    rootId: row.rootId,
    sessionId: row.sessionId,
    epoch: 3,
    owner: 'a',
    extendMs: HOUR,
    now: T0,
    ...given,
  };
}

function takeover(session: SessionRow): CommitPlan {
  const { sessionId, version } = session;
  return planFor(session, {
    guard: { sessions: [{ sessionId, version, status: ['running'], leaseExpired: true }] },
    sessions: [
      {
        sessionId,
        set: { epoch: session.epoch + 1, leaseOwner: 'b', leaseUntil: T0 + HOUR },
        raise: { version: true },
      },
    ],
  });
}

const owned = { owned: true, interrupted: false };
const notOwned = { owned: false, interrupted: false };

export function lease(open: OpenStore): void {
  describe('a lease', () => {
    it('is extended by its owner, which keeps others out and moves no version', async () => {
      const { store } = await open();
      await seed(store, { sessions: [row] });
      expect(await store.renewLease(renewal())).toEqual(owned);
      expect(await store.commit(takeover(row))).toBe(false);
      const renewed = (await store.readSession(row)) as SessionRow;
      expect(renewed.leaseUntil).not.toBe(row.leaseUntil);
      const { leaseUntil, updatedAt } = row;
      expect({ ...renewed, leaseUntil, updatedAt }).toEqual(row);
    });

    it('says by each renewal that the session is alive, and listings follow', async () => {
      const { store } = await open();
      const other = sessionRow({ sessionId: 'other', updatedAt: T0 - HOUR });
      const quiet = { ...row, updatedAt: T0 - 2 * HOUR, userId: 'ada' };
      await seed(store, { sessions: [quiet] });
      await seed(store, { sessions: [other] });
      const listed = async (filter: SessionFilter): Promise<string[]> =>
        (await store.listSessions(filter)).items.map(({ sessionId }) => sessionId);
      expect(await listed({})).toEqual([other.sessionId, row.sessionId]);
      await store.renewLease(renewal({ extendMs: null }));
      expect(await listed({})).toEqual([other.sessionId, row.sessionId]);
      await store.renewLease(renewal());
      expect(await listed({})).toEqual([row.sessionId, other.sessionId]);
      expect(await listed({ userId: 'ada' })).toEqual([row.sessionId]);
      expect((await store.readSession(row))?.updatedAt).toBeGreaterThan(other.updatedAt);
    });

    it('is only looked at when nothing is to be extended', async () => {
      const { store } = await open();
      await seed(store, { sessions: [row] });
      expect(await store.renewLease(renewal({ extendMs: null }))).toEqual(owned);
      expect(await store.readSession(row)).toEqual(row);
    });

    it.each([
      ['an older epoch', { epoch: 2 }, {}],
      ['a newer epoch', { epoch: 4 }, {}],
      ['a session that is suspended', {}, { status: 'suspended_client_tool' }],
      ['a session that is over', {}, { status: 'completed' }],
    ] as const)('is lost for %s, and nothing changes', async (_, given, state) => {
      const { store } = await open();
      await seed(store, { sessions: [{ ...row, ...state }] });
      expect(await store.renewLease(renewal(given))).toEqual(notOwned);
      expect(await store.readSession(row)).toEqual({ ...row, ...state });
    });

    it.each([
      ['handed over', { leaseOwner: 'b', leaseUntil: T0 + HOUR }],
      ['given up', { leaseOwner: null, leaseUntil: null }],
    ])('does not come back once it was %s, though epoch and run go on', async (_, state) => {
      const { store } = await open();
      const session = { ...row, ...state };
      await seed(store, { sessions: [session] });
      expect(await store.renewLease(renewal({ extendMs: 2 * HOUR }))).toEqual(owned);
      expect(await store.renewLease(renewal({ extendMs: null }))).toEqual(owned);
      expect(await store.readSession(row)).toEqual(session);
    });

    it('is lost for a session that is not there', async () => {
      const { store } = await open();
      expect(await store.renewLease(renewal())).toEqual(notOwned);
    });

    it('is taken over when its time is past, and then lost for the first owner', async () => {
      const { store } = await open();
      await seed(store, { sessions: [row] });
      expect(await store.commit(takeover(row))).toBe(true);
      expect(await store.renewLease(renewal())).toEqual(notOwned);
      expect((await store.readSession(row))?.leaseOwner).toBe('b');
    });

    it('has one owner when renewal and takeover race', async () => {
      const { store } = await open();
      for (let round = 0; round < 30; round += 1) {
        const session = sessionRow({ sessionId: `s-${round}`, epoch: 3, ...lost });
        const { sessionId, rootId } = session;
        await seed(store, { sessions: [session] });
        const [kept, taken] = await Promise.all([
          store.renewLease(renewal({ sessionId, rootId })),
          store.commit(takeover(session)),
        ]);
        expect(kept.owned).toBe(!taken);
      }
    });
  });
}
