// If this fails: a person is reminded twice of one question, or never, or of one already answered.
import { callKey, rootRef } from '@helix-agents/core/store';
import { describe, expect, it } from 'vitest';
import { inParallel, sorted } from './everything.ts';
import type { OpenStore } from './harness.ts';
import { planFor, seed } from './plans.ts';
import { answer } from './rows-guard.ts';
import { callRow, HOUR, sessionRow, settledCallRow, T0 } from './rows.ts';

const row = sessionRow({ status: 'suspended_client_tool' });
const due = { remindAt: T0 - HOUR };

export function takeReminders(open: OpenStore): void {
  describe('taking reminders', () => {
    it('clears all that are due at once and returns those rows as they are now', async () => {
      const { store } = await open();
      const deadlineAt = T0 + HOUR;
      const calls = [callRow('past', { ...due, deadlineAt }), callRow('now', { remindAt: T0 })];
      await seed(store, { sessions: [row], calls });
      const taken = await store.takeReminders(rootRef('s1'), T0);
      expect(sorted(taken)).toEqual(sorted(calls.map((call) => ({ ...call, remindAt: null }))));
      expect(sorted(await store.readCalls('s1'))).toEqual(sorted(taken));
      expect(await store.takeReminders(rootRef('s1'), T0), 'once').toEqual([]);
      expect(await store.readSession(row), 'does not move the session').toEqual(row);
    });

    it('leaves calls that are ahead, without one, answered, settled or of another root', async () => {
      const { store } = await open();
      const calls = [
        callRow('ahead', { remindAt: T0 + HOUR }),
        callRow('never'),
        callRow('answered', { ...due, state: 'answered', outcome: 'approved' }),
        settledCallRow('settled', due),
      ];
      await seed(store, { sessions: [row], calls });
      const other = callRow('other', { rootId: 's2', ...due });
      await seed(store, { sessions: [sessionRow({ sessionId: 's2' })], calls: [other] });
      expect(await store.takeReminders(rootRef('s1'), T0)).toEqual([]);
      expect(sorted(await store.readCalls('s1'))).toEqual(sorted(calls));
      expect(await store.readCalls('s2')).toEqual([other]);
    });

    it('gives each reminder to one of those who ask at once', async () => {
      const { store } = await open();
      const calls = Array.from({ length: 200 }, (_, index) => callRow(`call-${index}`, due));
      await seed(store, { sessions: [row], calls });
      const taken = (await inParallel(5, () => store.takeReminders(rootRef('s1'), T0))).flat();
      const ids = taken.map((call) => call.toolCallId);
      expect(ids.toSorted()).toEqual(calls.map((call) => call.toolCallId).toSorted());
    });

    it('leaves the call open for its answer, and another reminder may be set', async () => {
      const { store } = await open();
      const call = callRow('a', due);
      await seed(store, { sessions: [row], calls: [call] });
      await store.takeReminders(rootRef('s1'), T0);
      const update = { calls: [{ key: callKey(call), set: { remindAt: T0 + 1 } }] };
      expect(await store.commit(planFor(row, { update }))).toBe(true);
      expect(await store.takeReminders(rootRef('s1'), T0 + 1)).toHaveLength(1);
      expect(await answer(store, callKey(call), 'yes')).toBe(true);
    });
  });
}
