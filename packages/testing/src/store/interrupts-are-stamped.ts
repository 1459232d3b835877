// If this fails: a stop request is lost, or it stops a run it was never meant for.
import { describe, expect, it } from 'vitest';
import type { OpenStore, Store } from './harness.ts';
import { planFor, seed } from './plans.ts';
import { sessionRow, T0 } from './rows.ts';

const row = sessionRow();

async function look(store: Store): Promise<boolean> {
  const input = { rootId: 's1', sessionId: 's1', epoch: 1, owner: 'a', extendMs: null, now: T0 };
  return (await store.renewLease(input)).interrupted;
}

export function interruptsAreStamped(open: OpenStore): void {
  describe('an interrupt of one run', () => {
    it('is stamped with the current run and seen by step and lease', async () => {
      const { store } = await open();
      await seed(store, { sessions: [row] });
      expect((await store.readStep(row))?.interrupt).toBeNull();
      expect(await look(store)).toBe(false);
      const expected = {
        sessionId: 's1',
        runId: row.runId,
        reason: 'enough',
        scope: 'tree',
        timestamp: T0,
      };
      expect(await store.requestInterrupt(row, 'enough', T0)).toEqual(expected);
      expect((await store.readStep(row))?.interrupt).toEqual(expected);
      expect(await look(store)).toBe(true);
      expect(await store.readSession(row), 'does not move the session').toEqual(row);
    });

    it('keeps the first of several', async () => {
      const { store } = await open();
      await seed(store, { sessions: [row] });
      const first = await store.requestInterrupt(row, null, T0);
      expect(await store.requestInterrupt(row, 'second', T0 + 1)).toEqual(first);
      expect((await store.readStep(row))?.interrupt).toEqual(first);
      expect(first?.reason).toBeNull();
    });

    it('is taken for the run it is meant for, and no other', async () => {
      const { store } = await open();
      await seed(store, { sessions: [row] });
      expect(await store.requestInterrupt(row, null, T0, { runId: 'run-0-of-s1' })).toBeNull();
      const { runId } = row;
      expect(await store.requestInterrupt(row, null, T0, { runId })).toMatchObject({ runId });
    });

    it.each(['completed', 'failed', 'interrupted', 'suspended_client_tool'] as const)(
      'is refused by a session that is %s',
      async (status) => {
        const { store } = await open();
        await seed(store, { sessions: [{ ...row, status }] });
        expect(await store.requestInterrupt(row, null, T0)).toBeNull();
        expect((await store.readStep(row))?.interrupt).toBeNull();
      },
    );

    it('is refused by a session that is not there', async () => {
      const { store } = await open();
      expect(await store.requestInterrupt(row, null, T0)).toBeNull();
    });

    it('survives a takeover of its run', async () => {
      const { store } = await open();
      await seed(store, { sessions: [row] });
      await store.requestInterrupt(row, null, T0);
      await store.commit(planFor(row, { sessions: [{ sessionId: 's1', set: { epoch: 2 } }] }));
      expect((await store.readStep(row))?.interrupt).not.toBeNull();
    });

    it('never touches a later run', async () => {
      const { store } = await open();
      await seed(store, { sessions: [row] });
      await store.requestInterrupt(row, null, T0);
      await store.commit(
        planFor(row, { sessions: [{ sessionId: 's1', set: { runId: 'run-2' } }] }),
      );
      expect((await store.readStep(row))?.interrupt).toBeNull();
      expect(await look(store)).toBe(false);
      const second = await store.requestInterrupt(row, 'again', T0);
      expect(second).toMatchObject({ runId: 'run-2', reason: 'again' });
    });

    it('is cleared by the commit that obeys it, and by no other', async () => {
      const { store } = await open();
      await seed(store, { sessions: [row] });
      await store.requestInterrupt(row, null, T0);
      const clear = (runId: string, version: number): Promise<boolean> => {
        const remove = { interrupts: [{ sessionId: 's1', runId }] };
        return store.commit(planFor({ ...row, version }, { remove }));
      };
      expect(await clear('another-run', 1)).toBe(true);
      expect(await clear(row.runId, 1), 'a commit that missed').toBe(false);
      expect((await store.readStep(row))?.interrupt).not.toBeNull();
      expect(await clear(row.runId, 2)).toBe(true);
      expect((await store.readStep(row))?.interrupt).toBeNull();
    });

    it('holds back a commit that asks for there being none', async () => {
      const { store } = await open();
      await seed(store, { sessions: [row] });
      const goOn = (version: number): Promise<boolean> =>
        store.commit(
          planFor(row, {
            guard: {
              sessions: [{ sessionId: 's1', version }],
              interruptsAbsent: [{ sessionId: 's1', runId: row.runId }],
            },
          }),
        );
      expect(await goOn(1), 'nobody asked').toBe(true);
      await store.requestInterrupt(row, null, T0);
      expect(await goOn(2)).toBe(false);
      expect((await store.readSession(row))?.version, 'nothing is written').toBe(2);
      await store.commit(
        planFor(
          { ...row, version: 2 },
          { sessions: [{ sessionId: 's1', set: { runId: 'run-2' }, raise: { version: true } }] },
        ),
      );
      expect(await goOn(3), 'that of a former run').toBe(false);
      const later = planFor(
        { ...row, version: 3 },
        {
          guard: { interruptsAbsent: [{ sessionId: 's1', runId: 'run-2' }] },
        },
      );
      expect(await store.commit(later), 'no interrupt of the current run').toBe(true);
    });

    it('is obeyed or refused, never left over, when its run ends at the same time', async () => {
      const { store } = await open();
      for (let round = 0; round < 20; round += 1) {
        const session = sessionRow({ sessionId: `s-${round}` });
        const { sessionId, runId } = session;
        await seed(store, { sessions: [session] });
        const end = planFor(session, {
          sessions: [{ sessionId, set: { status: 'interrupted' }, raise: { version: true } }],
          remove: { interrupts: [{ sessionId, runId }] },
        });
        const stop = (): Promise<unknown> => store.requestInterrupt(session, null, T0);
        const racers = round % 2 === 0 ? [stop(), store.commit(end)] : [store.commit(end), stop()];
        await Promise.all(racers);
        expect((await store.readStep(session))?.interrupt).toBeNull();
      }
    });
  });
}
