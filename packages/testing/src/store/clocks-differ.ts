// Processes whose clocks differ. If one of these fails, a process that is ahead closes questions early or takes live
// sessions from their owners. DEAD-04.
import { callKey, rootRef } from '@helix-agents/core/store';
import type { CommitInserts, CommitPlan } from '@helix-agents/core/store';
import { describe, expect, it } from 'vitest';
import type { OpenStore, Store } from './harness.ts';
import { planFor } from './plans.ts';
import { callRow, messageRow, sessionRow } from './rows.ts';

const MINUTE = 60_000;
/** What a test may take; far less than clocks are apart. */
const SLACK = 2 * MINUTE;

/** A process with its own idea of the time, over data that all share. */
interface Machine {
  readonly store: Store;
  readonly now: () => number;
}

async function machines<Offsets extends readonly number[]>(
  open: OpenStore,
  ...offsets: Offsets
): Promise<{ [Place in keyof Offsets]: Machine }> {
  const opened = await open();
  const made = offsets.map(async (offset) => {
    const store = await opened.openOnServerClock?.();
    if (!store) throw new Error('A store with a serverClock needs openOnServerClock.');
    return { store, now: () => Date.now() + offset };
  });
  return (await Promise.all(made)) as { [Place in keyof Offsets]: Machine };
}

async function insert({ store, now }: Machine, rows: CommitInserts): Promise<void> {
  const plan = planFor(sessionRow(), { now: now(), guard: {}, sessions: [], insert: rows });
  expect(await store.commit(plan)).toBe(true);
}

export function clocksDiffer(open: OpenStore): void {
  describe('processes whose clocks differ', () => {
    it('store the times of a plan on the clock of the server, and durations stay', async () => {
      const [right, ahead] = await machines(open, 0, 30 * MINUTE);
      const now = ahead.now();
      const row = sessionRow({ createdAt: now, updatedAt: now, leaseUntil: now + MINUTE });
      const asked = { openedAt: now, deadlineAt: now + 2 * MINUTE };
      const calls = [callRow('a', asked), callRow('b', { ...asked, openedAt: now + 1 })];
      const messages = [1, 2].map((sequence) => messageRow(sequence, { createdAt: now }));
      await insert(ahead, { sessions: [row], calls, messages });
      const stored = await right.store.readSession(row);
      const base = stored?.updatedAt ?? 0;
      expect(Math.abs(base - Date.now())).toBeLessThan(SLACK);
      expect(stored).toMatchObject({ createdAt: base, leaseUntil: base + MINUTE });
      expect(await right.store.readCalls('s1')).toMatchObject([
        { openedAt: base, deadlineAt: base + 2 * MINUTE },
        { openedAt: base + 1, deadlineAt: base + 2 * MINUTE },
      ]);
      const read = await right.store.readMessages(row);
      expect(read.map(({ createdAt }) => createdAt)).toEqual([base, base]);
      const leaseUntil = ahead.now() + 3 * MINUTE;
      const update = { sessionId: 's1', set: { leaseUntil } };
      await ahead.store.commit(planFor(row, { now: ahead.now(), sessions: [update] }));
      const changed = (await right.store.readSession(row))?.leaseUntil ?? 0;
      expect(Math.abs(changed - 3 * MINUTE - Date.now())).toBeLessThan(SLACK);
    });

    it('keep one deadline, not early for those ahead and not late for those behind', async () => {
      const [right, ahead, behind] = await machines(open, 0, 5 * MINUTE, -5 * MINUTE);
      const now = right.now();
      const row = sessionRow({ status: 'suspended_client_tool' });
      const calls = [
        callRow('open', { deadlineAt: now + 3 * MINUTE }),
        callRow('late', { deadlineAt: now - 1 }),
      ];
      await insert(right, { sessions: [row], calls });
      const due = await behind.store.findDue({ now: behind.now(), hostKind: 'js', limit: 10 });
      expect(due.overdueTops, 'one is late, though not on this clock').toEqual([rootRef('s1')]);
      const swept = await Promise.all(
        [ahead, behind].map(({ store, now: time }) => store.expireCalls(rootRef('s1'), time())),
      );
      expect(swept.flat().map((call) => call.toolCallId)).toEqual(['late']);
      const answer = { kind: 'result', value: 'yes' } as const;
      const result = await ahead.store.answerCall({
        key: callKey(callRow('open')),
        outcome: 'answered',
        answer,
        answeredBy: null,
        now: ahead.now(),
      });
      expect(result).toMatchObject({ found: true, taken: true });
    });

    it('remind and purge by it too', async () => {
      const [right, ahead, behind] = await machines(open, 0, 5 * MINUTE, -5 * MINUTE);
      const now = right.now();
      const settled = { state: 'settled', outcome: 'answered' } as const;
      const calls = [
        callRow('remind', { remindAt: now - 1 }),
        callRow('wait', { remindAt: now + 3 * MINUTE }),
        callRow('purge', { ...settled, purgeAt: now - 1 }),
        callRow('keep', { ...settled, purgeAt: now + 3 * MINUTE }),
      ];
      await insert(right, { sessions: [sessionRow()], calls });
      expect(await ahead.store.purgeCalls(rootRef('s1'), ahead.now())).toBe(1);
      const reminded = await behind.store.takeReminders(rootRef('s1'), behind.now());
      expect(reminded.map((call) => call.toolCallId)).toEqual(['remind']);
      expect(await ahead.store.takeReminders(rootRef('s1'), ahead.now())).toEqual([]);
    });

    it('leave a live owner its session, and take it from a dead one', async () => {
      const [owner, ahead, behind] = await machines(open, 0, 5 * MINUTE, -5 * MINUTE);
      const leaseUntil = owner.now() + 3 * MINUTE;
      const row = sessionRow({ epoch: 3, leaseOwner: 'a', leaseUntil });
      await insert(owner, { sessions: [row] });
      const takeover = ({ now }: Machine): CommitPlan =>
        planFor(row, {
          now: now(),
          guard: { sessions: [{ sessionId: 's1', leaseExpired: true }] },
        });
      expect(await ahead.store.commit(takeover(ahead))).toBe(false);
      const due = await ahead.store.findDue({ now: ahead.now(), hostKind: 'js', limit: 10 });
      expect(due.deadTops).toEqual([]);
      const lease = { rootId: 's1', sessionId: 's1', epoch: 3, owner: 'a' };
      await owner.store.renewLease({ ...lease, extendMs: -1, now: owner.now() });
      const found = await behind.store.findDue({ now: behind.now(), hostKind: 'js', limit: 10 });
      expect(found.deadTops).toHaveLength(1);
      expect(await behind.store.commit(takeover(behind)), 'its time is over').toBe(true);
    });

    it('keep their leases when their commits leave together', async () => {
      const [ahead, behind] = await machines(open, 5 * MINUTE, -5 * MINUTE);
      const ids = Array.from({ length: 12 }, (_, place) => `s${place}`);
      for (const sessionId of ids) {
        const sessions = [sessionRow({ sessionId })];
        const plan = planFor(sessionRow({ sessionId }), { guard: {}, sessions: [] });
        await ahead.store.commit({ ...plan, now: ahead.now(), insert: { sessions } });
      }
      const won = await Promise.all(
        ids.map((sessionId, place) => {
          const { now } = place % 2 ? ahead : behind;
          const set = { leaseUntil: now() + MINUTE };
          const sessions = [{ sessionId, set, raise: { version: true } as const }];
          return ahead.store.commit(planFor(sessionRow({ sessionId }), { now: now(), sessions }));
        }),
      );
      expect(won).toEqual(ids.map(() => true));
      for (const sessionId of ids) {
        const row = await ahead.store.readSession({ rootId: sessionId, sessionId });
        expect(Math.abs((row?.leaseUntil ?? 0) - MINUTE - Date.now())).toBeLessThan(SLACK);
      }
    });
  });
}
