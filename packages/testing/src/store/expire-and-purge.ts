// If this fails: a question nobody answers holds its session for ever, a person's answer is thrown
// away by the sweep, or settled calls pile up without end.
import { callKey, rootRef } from '@helix-agents/core/store';
import { describe, expect, it } from 'vitest';
import { inParallel, sorted } from './everything.ts';
import type { OpenStore } from './harness.ts';
import { seed } from './plans.ts';
import { answer } from './rows-guard.ts';
import { callRow, HOUR, sessionRow, settledCallRow, T0 } from './rows.ts';

const row = sessionRow({ status: 'suspended_client_tool' });
const overdue = { deadlineAt: T0 - HOUR };
const purgeable = { purgeAt: T0 - HOUR };

export function expireAndPurge(open: OpenStore): void {
  describe('expireCalls', () => {
    it('moves all overdue open calls at once and returns them as they are now', async () => {
      const { store } = await open();
      const calls = Array.from({ length: 500 }, (_, index) => callRow(`call-${index}`, overdue));
      await seed(store, { sessions: [row], calls });
      const expired = await store.expireCalls(rootRef('s1'), T0);
      expect(expired).toHaveLength(500);
      expect(sorted(expired)).toEqual(sorted(await store.readCalls('s1')));
      for (const call of expired) {
        expect(call).toMatchObject({ state: 'answered', outcome: 'expired', answeredBy: null });
        expect(call.answer).toEqual({ kind: 'none' });
      }
      expect(await store.expireCalls(rootRef('s1'), T0), 'once').toEqual([]);
      expect(await store.readSession(row), 'does not move the session').toEqual(row);
    });

    it('leaves calls that are ahead, without deadline, answered, settled or of another root', async () => {
      const { store } = await open();
      const answered = { ...overdue, state: 'answered', outcome: 'approved' } as const;
      const calls = [
        callRow('ahead', { deadlineAt: T0 + HOUR }),
        callRow('never'),
        callRow('answered', answered),
        settledCallRow('settled', overdue),
      ];
      await seed(store, { sessions: [row], calls });
      const other = callRow('other', { rootId: 's2', ...overdue });
      await seed(store, { sessions: [sessionRow({ sessionId: 's2' })], calls: [other] });
      expect(await store.expireCalls(rootRef('s1'), T0)).toEqual([]);
      expect(sorted(await store.readCalls('s1'))).toEqual(sorted(calls));
      expect(await store.readCalls('s2')).toEqual([other]);
    });

    it('gives each call one outcome when sweeps and answers race', async () => {
      const { store } = await open();
      const late = Array.from({ length: 10 }, (_, index) => callRow(`late-${index}`, overdue));
      const early = late.map((_, index) => callRow(`early-${index}`, { deadlineAt: T0 + HOUR }));
      await seed(store, { sessions: [row], calls: [...late, ...early] });
      const [sweeps, taken] = await Promise.all([
        inParallel(3, () => store.expireCalls(rootRef('s1'), T0)),
        Promise.all([...late, ...early].map((call) => answer(store, callKey(call), 'yes'))),
      ]);
      expect(taken).toEqual([...late.map(() => false), ...early.map(() => true)]);
      const swept = sweeps.flat().map((call) => call.toolCallId);
      expect(new Set(swept).size, 'no call is expired twice').toBe(swept.length);
      for (const call of await store.readCalls('s1')) {
        expect(call.outcome).toBe(call.toolCallId.startsWith('late') ? 'expired' : 'answered');
      }
    });
  });

  describe('purgeCalls', () => {
    it('deletes settled calls past their time and says how many', async () => {
      const { store } = await open();
      const kept = [
        settledCallRow('ahead', { purgeAt: T0 + HOUR }),
        settledCallRow('never'),
        callRow('open', purgeable),
        callRow('answered', { ...purgeable, state: 'answered', outcome: 'approved' }),
      ];
      const gone = [settledCallRow('a', purgeable), settledCallRow('b', { purgeAt: T0 })];
      await seed(store, { sessions: [row], calls: [...kept, ...gone] });
      const other = settledCallRow('a', { rootId: 's2', ...purgeable });
      await seed(store, { sessions: [sessionRow({ sessionId: 's2' })], calls: [other] });

      expect(await store.purgeCalls(rootRef('s1'), T0)).toBe(2);
      expect(sorted(await store.readCalls('s1'))).toEqual(sorted(kept));
      expect(await store.readCalls('s2')).toEqual([other]);
      expect(await store.purgeCalls(rootRef('s1'), T0)).toBe(0);
      expect(await answer(store, callKey(callRow('a')), 'late')).toBe(false);
    });
  });
}
