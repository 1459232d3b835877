// If this fails: a session whose questions are all answered sleeps on because the one who answered
// died before waking it, or a sweep wakes sessions that still wait for a person.
import { callKey, rootRef } from '@helix-agents/core/store';
import type { OpenCallRow, SessionRow, SuspendedStatus } from '@helix-agents/core';
import { describe, expect, it } from 'vitest';
import type { OpenStore, Store } from './harness.ts';
import { planFor, seed } from './plans.ts';
import { answer } from './rows-guard.ts';
import { callRow, HOUR, sessionRow, settledCallRow, T0 } from './rows.ts';

const suspended = { status: 'suspended_client_tool' } as const;

function answered(rootId: string, toolCallId: string = 'answered'): OpenCallRow {
  return callRow(toolCallId, { rootId, state: 'answered', outcome: 'approved' });
}

/** A root with these calls; `answered` and `open` are what they say, whatever else is settled. */
async function seedRoot(
  store: Store,
  sessionId: string,
  calls: readonly ('answered' | 'open' | 'settled')[],
  given: Partial<SessionRow> = {},
): Promise<SessionRow> {
  const row = sessionRow({ sessionId, ...suspended, ...given });
  const rows = {
    answered: answered(sessionId),
    open: callRow('open', { rootId: sessionId }),
    settled: settledCallRow('settled', { rootId: sessionId }),
  };
  await seed(store, { sessions: [row], calls: calls.map((state) => rows[state]) });
  return row;
}

export function findAnswered(open: OpenStore): void {
  const find = async (store: Store, limit = 100): Promise<readonly SessionRow[]> =>
    (await store.findDue({ now: T0, hostKind: 'js', limit })).answeredTops;
  const findIds = async (store: Store): Promise<string[]> =>
    (await find(store)).map((row) => row.sessionId).toSorted();

  describe('findDue, among suspended roots that could go on,', () => {
    it('lists a root once none of its calls is open, and not after it went on', async () => {
      const { store } = await open();
      const row = sessionRow(suspended);
      const [a, b] = [callRow('a'), callRow('b')];
      await seed(store, { sessions: [row], calls: [a, b] });
      expect(await find(store)).toEqual([]);
      await answer(store, callKey(a), 'yes');
      expect(await find(store), 'one is still open').toEqual([]);
      await answer(store, callKey(b), 'yes');
      expect(await find(store)).toEqual([row]);
      const sessions = [
        { sessionId: 's1', set: { status: 'running' }, raise: { version: true } },
      ] as const;
      await store.commit(planFor(row, { sessions }));
      expect(await find(store)).toEqual([]);
    });

    it('takes an expired call for an answered one', async () => {
      const { store } = await open();
      const calls = [callRow('a', { deadlineAt: T0 - HOUR })];
      await seed(store, { sessions: [sessionRow(suspended)], calls });
      expect(await findIds(store), 'not before it is expired').toEqual([]);
      await store.expireCalls(rootRef('s1'), T0);
      expect(await findIds(store)).toEqual(['s1']);
    });

    it('lists every suspended status, no other, and none that holds an error', async () => {
      const { store } = await open();
      const all: readonly SuspendedStatus[] = [
        'suspended_client_tool',
        'suspended_awaiting_children',
        'suspended_step_partial',
      ];
      for (const status of all) await seedRoot(store, status, ['answered'], { status });
      for (const status of ['running', 'completed', 'failed', 'interrupted'] as const) {
        await seedRoot(store, status, ['answered'], { status });
      }
      const error = { code: 'internal', message: 'cannot go on' };
      await seedRoot(store, 'error', ['answered'], { error });
      await seedRoot(store, 'settled', ['settled']);
      await seedRoot(store, 'both', ['answered', 'settled']);
      await seedRoot(store, 'open', ['open', 'answered']);
      await seedRoot(store, 'none', []);
      expect(await findIds(store)).toEqual([...all, 'both'].toSorted());
    });

    it('counts the calls of the whole tree and lists its root only', async () => {
      const { store } = await open();
      for (const [rootId, state] of [
        ['ready', 'answered'],
        ['waiting', 'open'],
      ] as const) {
        const child = sessionRow({ sessionId: `${rootId}-child`, rootId, ...suspended });
        const deep = { ownerSessionId: child.sessionId, route: [rootId, child.sessionId] };
        await seed(store, {
          sessions: [
            sessionRow({ sessionId: rootId, status: 'suspended_awaiting_children' }),
            child,
          ],
          calls: [answered(rootId), { ...callRow('deep', { rootId, state }), ...deep }],
        });
      }
      expect(await findIds(store)).toEqual(['ready']);
    });

    it('passes over calls whose root lives in another database', async () => {
      const { store } = await open();
      const child = sessionRow({ sessionId: 'child', rootId: 'elsewhere', ...suspended });
      await seed(store, { sessions: [child], calls: [answered('elsewhere')] });
      expect(await find(store)).toEqual([]);
    });

    it('gives no more than its limit, each root once, the longest unmoved first', async () => {
      const { store } = await open();
      for (let index = 0; index < 5; index += 1) {
        const sessionId = `s-${index}`;
        await seed(store, {
          sessions: [sessionRow({ sessionId, ...suspended, updatedAt: T0 - index })],
          calls: [answered(sessionId, 'a'), answered(sessionId, 'b')],
        });
      }
      const ids = (await find(store, 3)).map((row) => row.sessionId);
      expect(ids).toEqual(['s-4', 's-3', 's-2']);
      expect(await find(store)).toHaveLength(5);
    });
  });
}
