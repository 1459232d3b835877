// If this fails: two callers both believe they moved a session, and both act on it (LOCK-05).
import type { SessionStatus } from '@helix-agents/core';
import { describe, expect, it } from 'vitest';
import { inParallel } from '../store/everything.ts';
import { seed } from '../store/plans.ts';
import { callRow, sessionRow } from '../store/rows.ts';
import { HANGS_AFTER_MS } from '../world/whole.ts';
import type { OpenStateStore } from './harness.ts';
import { findStatusLogFault, moveStatusAtRandom, type StatusOperation } from './status-log.ts';

export function compareAndSetStatus(open: OpenStateStore): void {
  describe('compareAndSetStatus', () => {
    it.each([
      ['64 racers', 64, 'all'],
      ['100 racers on one connection (LOCK-04)', 100, 'one'],
    ])('has one winner among %s; the others see where it went', async (_, racers, over) => {
      const { store, connections } = await open();
      const racing = over === 'all' ? connections : [store];
      await store.createSession('s1');
      const rounds: [SessionStatus, SessionStatus][] = [
        ['active', 'interrupted'],
        ['interrupted', 'active'],
        ['active', 'failed'],
        ['failed', 'active'],
        ['active', 'completed'],
      ];
      for (const [round, [from, to]] of rounds.entries()) {
        const version = round + 1;
        const results = await inParallel(racers, async (racer) => {
          const connection = racing[racer % racing.length] ?? store;
          return connection.compareAndSetStatus('s1', [from], to);
        });
        expect(results.filter(({ ok }) => ok)).toEqual([{ ok: true, newVersion: version + 1 }]);
        const told = { currentStatus: to, currentVersion: version + 1, reason: 'mismatch' };
        expect(results.filter(({ ok }) => !ok)).toEqual(
          Array.from({ length: racers - 1 }, () => ({ ok: false, ...told })),
        );
      }
    });

    it('is linearizable over thousands of random moves', { timeout: HANGS_AFTER_MS }, async () => {
      const { store, connections } = await open();
      await store.createSession('s1');
      let time = 0;
      const now = (): number => (time += 1);
      const logs = await inParallel(8, (worker) =>
        moveStatusAtRandom(connections[worker % connections.length] ?? store, 's1', {
          times: 400,
          now,
          random: seededRandom(worker + 1),
        }),
      );
      const log = logs.flat();
      expect(findStatusLogFault(log, { version: 1, status: 'active' })).toBeNull();
      const won = log.filter(({ result }) => result.ok).length;
      expect(won).toBeGreaterThan(100);
      expect(await store.loadState('s1')).toMatchObject({ version: won + 1 });
    });

    it('has a log check that notices a version given twice, a wrong status and a step back', () => {
      const ok = (newVersion: number, times: [number, number]): StatusOperation => ({
        start: times[0],
        end: times[1],
        expected: ['active'],
        next: 'active',
        result: {
          ok: true,
          newVersion,
        },
      });
      const first = { version: 1, status: 'active' } as const;
      expect(findStatusLogFault([ok(2, [1, 2]), ok(3, [3, 4])], first)).toBeNull();
      expect(findStatusLogFault([ok(2, [1, 2]), ok(2, [1, 2])], first)).toContain('twice');
      expect(findStatusLogFault([ok(3, [1, 2]), ok(2, [3, 4])], first)).toContain('went back');
      expect(findStatusLogFault([ok(4, [1, 2])], first)).toContain('never was');
    });

    it('holds a caller to the version it names', async () => {
      const { store } = await open();
      await store.createSession('s1');
      const move = (expectedVersion: number): Promise<unknown> =>
        store.compareAndSetStatus('s1', ['active'], 'active', { expectedVersion });
      expect(await move(2)).toMatchObject({ ok: false, currentVersion: 1 });
      expect(await move(1)).toEqual({ ok: true, newVersion: 2 });
      expect(await move(1)).toMatchObject({
        ok: false,
        currentStatus: 'active',
        currentVersion: 2,
      });
    });

    it('stores a pause as an interruption, with its error, of a session that is active or waits', async () => {
      const { store } = await open();
      await store.createSession('s1');
      const error = { code: 'run_failed', message: 'later' };
      const paused = { error: 'later' };
      expect(await store.compareAndSetStatus('s1', ['active'], 'paused', paused)).toMatchObject({
        ok: true,
      });
      expect(await store.loadState('s1')).toMatchObject({ status: 'interrupted', error });
      const waits = sessionRow({
        sessionId: 's2',
        rootId: 's2',
        status: 'suspended_client_tool',
      });
      await seed(store.sessions, {
        sessions: [waits],
        calls: [callRow('a', { rootId: 's2', ownerSessionId: 's2', route: ['s2'] })],
      });
      expect(await store.compareAndSetStatus('s2', ['paused'], 'paused', paused)).toMatchObject({
        ok: true,
      });
      expect(await store.loadState('s2')).toMatchObject({
        status: 'interrupted',
        error,
        pendingClientToolCalls: {},
        clientToolCallOwnership: {},
      });
    });

    it('keeps the error of a failed session until it is active again', async () => {
      const { store } = await open();
      await store.createSession('s1');
      await store.compareAndSetStatus('s1', ['active'], 'failed', { error: 'no luck' });
      const error = { code: 'run_failed', message: 'no luck' };
      expect(await store.loadState('s1')).toMatchObject({ status: 'failed', error });
      await store.updateStatus('s1', 'active');
      expect(await store.loadState('s1')).toMatchObject({ status: 'active', error: null });
      await expect(store.updateStatus('nobody', 'failed')).rejects.toMatchObject({
        code: 'session_not_found',
      });
    });
  });
}

/** mulberry32: the same numbers for the same seed. */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
