// If this fails: a person answers in the moment a run suspends, the run goes to sleep over the answer,
// and nobody ever wakes it (the lost wake-up).
import { callKey, rootRef } from '@helix-agents/core/store';
import type { CallKey, CommitPlan } from '@helix-agents/core/store';
import { describe, expect, it } from 'vitest';
import type { OpenStore, Store } from './harness.ts';
import { planFor, seed } from './plans.ts';
import { callRow, HOUR, sessionRow, settledCallRow, T0 } from './rows.ts';

const row = sessionRow();

/** Suspends `s1` if all these calls are still open. */
function suspension(...callsOpen: readonly CallKey[]): CommitPlan {
  return planFor(row, {
    guard: { sessions: [{ sessionId: 's1', version: 1 }], callsOpen },
    sessions: [
      { sessionId: 's1', set: { status: 'suspended_client_tool' }, raise: { version: true } },
    ],
  });
}

export async function answer(store: Store, key: CallKey, value: string): Promise<boolean> {
  const result = await store.answerCall({
    key,
    outcome: 'answered',
    answer: { kind: 'result', value },
    answeredBy: 'user-1',
    now: T0,
  });
  return result.found && result.taken;
}

export function rowsGuard(open: OpenStore): void {
  describe('a store between a suspension and an answer', () => {
    it('does not suspend over an answer', async () => {
      const { store } = await open();
      const [a, b] = [callRow('a'), callRow('b')];
      await seed(store, { sessions: [row], calls: [a, b] });
      expect(await answer(store, callKey(b), 'yes')).toBe(true);
      expect(await store.commit(suspension(callKey(a), callKey(b)))).toBe(false);
      expect((await store.readSession(row))?.status).toBe('running');
      expect(await store.commit(suspension(callKey(a))), 'the one still open').toBe(true);
    });

    it('takes an answer after it has suspended', async () => {
      const { store } = await open();
      const call = callRow('a');
      await seed(store, { sessions: [row], calls: [call] });
      expect(await store.commit(suspension(callKey(call)))).toBe(true);
      expect(await answer(store, callKey(call), 'yes')).toBe(true);
      const step = await store.readStep(row);
      expect(step?.session).toMatchObject({ status: 'suspended_client_tool', version: 2 });
      expect(step?.calls.map((found) => found.state)).toEqual(['answered']);
    });

    it.each([
      ['expired', callRow('a', { state: 'answered', outcome: 'expired' })],
      ['cancelled', callRow('a', { state: 'answered', outcome: 'cancelled' })],
      ['settled', settledCallRow('a')],
    ])('does not suspend over a call that is %s', async (_, call) => {
      const { store } = await open();
      await seed(store, { sessions: [row], calls: [call] });
      expect(await store.commit(suspension(callKey(call)))).toBe(false);
    });

    it('does not suspend over a deadline that passed unseen and was then expired', async () => {
      const { store } = await open();
      const call = callRow('a', { deadlineAt: T0 - HOUR });
      await seed(store, { sessions: [row], calls: [call] });
      await store.expireCalls(rootRef('s1'), T0);
      expect(await store.commit(suspension(callKey(call)))).toBe(false);
    });

    it('does not suspend over a call that was never opened or belongs to another root', async () => {
      const { store } = await open();
      await seed(store, { sessions: [row] });
      const other = callRow('a', { rootId: 's2' });
      await seed(store, { sessions: [sessionRow({ sessionId: 's2' })], calls: [other] });
      expect(await store.commit(suspension(callKey(callRow('a'))))).toBe(false);
    });

    it('leaves no answer unseen, whichever comes first', async () => {
      const { store } = await open();
      for (let round = 0; round < 50; round += 1) {
        const session = sessionRow({ sessionId: `s-${round}` });
        const call = callRow('a', { rootId: session.sessionId });
        await seed(store, { sessions: [session], calls: [call] });
        const { sessionId } = session;
        const suspend = (): Promise<boolean> =>
          store.commit({
            ...suspension(callKey(call)),
            rootId: sessionId,
            guard: { sessions: [{ sessionId, version: 1 }], callsOpen: [callKey(call)] },
            sessions: [{ sessionId, set: { status: 'suspended_client_tool' } }],
          });
        // What a client does: answer, then look whether anybody has to be woken.
        const submit = async (): Promise<string | undefined> => {
          expect(await answer(store, callKey(call), 'yes')).toBe(true);
          return (await store.readSession(session))?.status;
        };
        const racers = round % 2 === 0 ? [suspend(), submit()] : [submit(), suspend()];
        const outcomes = await Promise.all(racers);
        const suspended = outcomes[round % 2];
        const seen = outcomes[1 - (round % 2)];
        if (seen === 'running') expect(suspended, 'suspended behind the client').toBe(false);
      }
    });
  });

  describe('an update of calls with a condition', () => {
    it('skips rows in another state and still applies the plan', async () => {
      const { store } = await open();
      const calls = [callRow('a'), callRow('b'), settledCallRow('c')];
      await seed(store, { sessions: [row], calls });
      await answer(store, callKey(callRow('b')), 'kept');
      const set = { state: 'answered', outcome: 'cancelled', answer: { kind: 'none' } } as const;
      const updates = [...calls, callRow('nobody')].map((call) => ({
        key: callKey(call),
        set,
        onlyIf: 'open' as const,
      }));
      expect(await store.commit(planFor(row, { update: { calls: updates } }))).toBe(true);
      const byId = new Map((await store.readCalls('s1')).map((call) => [call.toolCallId, call]));
      expect(byId.get('a')).toMatchObject({ state: 'answered', outcome: 'cancelled' });
      expect(byId.get('b')).toMatchObject({ outcome: 'answered', answer: { value: 'kept' } });
      expect(byId.get('c')).toEqual(settledCallRow('c'));
      expect(byId.size).toBe(3);
      expect((await store.readSession(row))?.version).toBe(2);
    });

    it('gives a call one outcome when a stop and an answer race', async () => {
      const { store } = await open();
      for (let round = 0; round < 30; round += 1) {
        const session = sessionRow({ sessionId: `s-${round}`, status: 'suspended_client_tool' });
        const call = callRow('a', { rootId: session.sessionId });
        await seed(store, { sessions: [session], calls: [call] });
        const set = { state: 'answered', outcome: 'cancelled', answer: { kind: 'none' } } as const;
        const stop = planFor(session, {
          update: { calls: [{ key: callKey(call), set, onlyIf: 'open' }] },
        });
        const [taken] = await Promise.all([
          answer(store, callKey(call), 'yes'),
          store.commit(stop),
        ]);
        const [found] = await store.readCalls(session.sessionId);
        expect(found?.outcome).toBe(taken ? 'answered' : 'cancelled');
      }
    });
  });
}
