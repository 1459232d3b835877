// If this fails: an answer to one question of a call is taken for the answer to another, or closes it.
import { callKey, rootRef } from '@helix-agents/core/store';
import type { OpenCallRow } from '@helix-agents/core';
import type { AnswerCallResult } from '@helix-agents/core/store';
import { describe, expect, it } from 'vitest';
import { sorted } from './everything.ts';
import type { OpenStore, Store } from './harness.ts';
import { planFor, seed } from './plans.ts';
import { callRow, HOUR, sessionRow, T0 } from './rows.ts';

const row = sessionRow({ status: 'suspended_client_tool' });
const first = callRow('a', { part: '1' });
const second = callRow('a', { part: '2', openedAt: T0 + 1 });
/** The last of them look like others where a part is only joined to the id. */
const calls = [callRow('a'), first, second, callRow('a', { part: '12' }), callRow('a1')];
const others = calls.filter((call) => call !== first);

async function seedCalls(store: Store): Promise<void> {
  await seed(store, { sessions: [row], calls });
}

function answer(store: Store, call: OpenCallRow, value: string): Promise<AnswerCallResult> {
  const given = { kind: 'result', value } as const;
  const key = callKey(call);
  return store.answerCall({ key, outcome: 'answered', answer: given, answeredBy: null, now: T0 });
}

/** All calls but these, as they were. */
async function untouched(store: Store, ...changed: readonly OpenCallRow[]): Promise<OpenCallRow[]> {
  const parts = changed.map(({ part }) => part);
  const rows = await store.readCalls('s1');
  return rows.filter((call) => call.toolCallId !== 'a' || !parts.includes(call.part));
}

export function callsHaveParts(open: OpenStore): void {
  describe('calls with the same id and different parts', () => {
    it('are open side by side, and read by root, id and part', async () => {
      const { store } = await open();
      await seedCalls(store);
      expect(sorted(await store.readCalls('s1'))).toEqual(sorted(calls));
      expect(sorted((await store.readStep(row))?.calls ?? [])).toEqual(sorted(calls));
      for (const call of calls)
        expect(await store.readCalls('s1', callKey(call)), call.part).toEqual([call]);
      const absent = callKey({ rootId: 's1', toolCallId: 'a', part: '3' });
      expect(await store.readCalls('s1', absent)).toEqual([]);
    });

    it('are listed each, on pages of any size', async () => {
      const { store } = await open();
      await seedCalls(store);
      for (const filter of [{}, { rootSessionId: 's1' }]) {
        const found: OpenCallRow[] = [];
        let cursor: string | null | undefined;
        while (cursor !== null) {
          const page = await store.listOpenCalls({
            ...filter,
            limit: 2,
            ...(cursor && { cursor }),
          });
          found.push(...page.items);
          ({ cursor } = page);
        }
        expect(sorted(found)).toEqual(sorted(calls));
      }
    });

    it('refuse only a call with the same part', async () => {
      const { store } = await open();
      await seedCalls(store);
      expect(await store.commit(planFor(row, { insert: { calls: [first] } }))).toBe(false);
      const third = callRow('a', { part: '3' });
      expect(await store.commit(planFor(row, { insert: { calls: [third] } }))).toBe(true);
      expect(await store.readCalls('s1')).toHaveLength(calls.length + 1);
    });

    it('are answered each for itself', async () => {
      const { store } = await open();
      await seedCalls(store);
      expect(await answer(store, first, 'one')).toMatchObject({ taken: true, row: { part: '1' } });
      expect(sorted(await untouched(store, first))).toEqual(sorted(others));
      expect(await answer(store, second, 'two')).toMatchObject({ taken: true, row: { part: '2' } });
      expect(await answer(store, first, 'again')).toMatchObject({
        taken: false,
        row: { answer: { kind: 'result', value: 'one' } },
      });
      const waiting = await store.listOpenCalls();
      expect(waiting.items.map(({ part }) => part).toSorted()).toEqual(['', '', '12']);
    });

    it('are guarded each for itself', async () => {
      const { store } = await open();
      await seedCalls(store);
      await answer(store, first, 'one');
      const sessions = [{ sessionId: 's1', version: 1 }];
      const suspension = (call: OpenCallRow): Promise<boolean> =>
        store.commit(planFor(row, { guard: { sessions, callsOpen: [callKey(call)] } }));
      const state = { state: 'answered', outcome: 'answered' } as const;
      const approved = (call: OpenCallRow): Promise<boolean> =>
        store.commit(
          planFor(row, { guard: { sessions, calls: [{ key: callKey(call), ...state }] } }),
        );
      expect(await suspension(first)).toBe(false);
      expect(await approved(second)).toBe(false);
      expect(await suspension(second)).toBe(true);
    });

    it('are settled each for itself', async () => {
      const { store } = await open();
      await seedCalls(store);
      const set = { state: 'settled', settledAt: T0, purgeAt: T0 + HOUR } as const;
      const update = { calls: [{ key: callKey(first), set }] };
      expect(await store.commit(planFor(row, { update }))).toBe(true);
      expect(await store.readCalls('s1', callKey(first))).toEqual([{ ...first, ...set }]);
      expect(sorted((await store.readStep(row))?.calls ?? [])).toEqual(sorted(others));
      expect(await store.purgeCalls(rootRef('s1'), T0 + HOUR)).toBe(1);
      expect(sorted(await store.readCalls('s1'))).toEqual(sorted(others));
      expect(await answer(store, second, 'two')).toMatchObject({ taken: true });
    });

    it('expire and are reminded of each for itself', async () => {
      const { store } = await open();
      const late = callRow('a', { part: '1', deadlineAt: T0 - 1 });
      const soon = callRow('a', { part: '2', deadlineAt: T0 + HOUR, remindAt: T0 - 1 });
      await seed(store, { sessions: [row], calls: [late, soon] });
      expect(await store.expireCalls(rootRef('s1'), T0)).toMatchObject([
        { part: '1', outcome: 'expired' },
      ]);
      expect(await store.takeReminders(rootRef('s1'), T0)).toEqual([{ ...soon, remindAt: null }]);
      expect(await store.readCalls('s1', callKey(soon))).toEqual([{ ...soon, remindAt: null }]);
    });
  });
}
