// If this fails: what holds in one process does not hold between two, where it matters most.
import { callKey, rootRef } from '@helix-agents/core/store';
import type { SessionRow } from '@helix-agents/core';
import { describe, expect, it } from 'vitest';
import { inParallel } from './everything.ts';
import type { OpenStore, Store } from './harness.ts';
import { planFor, recordFor, seed } from './plans.ts';
import { answer } from './rows-guard.ts';
import { callRow, HOUR, messageRow, sessionRow, startRow, T0 } from './rows.ts';

async function openTwo(open: OpenStore): Promise<[Store, Store]> {
  const opened = await open();
  if (!opened.openSecond) throw new Error('a shared store needs `openSecond` to be tested');
  return [opened.store, await opened.openSecond()];
}

export function twoConnections(open: OpenStore): void {
  describe('two connections to one store', () => {
    it('see what the other wrote', async () => {
      const [one, two] = await openTwo(open);
      const row = sessionRow();
      await seed(one, { sessions: [row], messages: [messageRow(1)] });
      expect(await two.readSession(row)).toEqual(row);
      await two.commit(planFor(row, { insert: { messages: [messageRow(2)] } }));
      expect((await one.readSession(row))?.version).toBe(2);
      expect(await one.readMessages(row)).toEqual([messageRow(1), messageRow(2)]);
    });

    it('create a session once', async () => {
      const stores = await openTwo(open);
      for (let round = 0; round < 10; round += 1) {
        const row = sessionRow({ sessionId: `s-${round}` });
        const create = { ...planFor(row), guard: {}, sessions: [], insert: { sessions: [row] } };
        const won = await inParallel(8, (racer) =>
          (stores[racer % 2] as Store).commit({ ...create, commitId: `${round}-${racer}` }),
        );
        expect(won.filter(Boolean)).toHaveLength(1);
      }
    });

    it('have one winner per version', async () => {
      const stores = await openTwo(open);
      await seed(stores[0], { sessions: [sessionRow()] });
      const wins: number[] = [];
      await inParallel(6, async (racer) => {
        const store = stores[racer % 2] as Store;
        for (let tries = 0; tries < 30; tries += 1) {
          const session = (await store.readSession(sessionRow())) as SessionRow;
          const messages = [messageRow(session.version)];
          if (await store.commit(planFor(session, { insert: { messages } }))) {
            wins.push(session.version);
          }
        }
      });
      expect(wins.toSorted((a, b) => a - b)).toEqual(wins.map((_, index) => index + 1));
      expect(await stores[1].readMessages(sessionRow())).toHaveLength(wins.length);
      expect((await stores[0].readSession(sessionRow()))?.version).toBe(wins.length + 1);
    });

    it('start a call once', async () => {
      const stores = await openTwo(open);
      const row = sessionRow();
      await seed(stores[0], { sessions: [row] });
      const won = await inParallel(20, (racer) => {
        const journal = [startRow(`attempt-${racer}`)];
        return (stores[racer % 2] as Store).commit(recordFor(row, { journal }));
      });
      expect(won.filter(Boolean)).toHaveLength(1);
    });

    it('take each reminder once', async () => {
      const stores = await openTwo(open);
      const calls = Array.from({ length: 50 }, (_, index) =>
        callRow(`call-${index}`, { remindAt: T0 - HOUR }),
      );
      await seed(stores[0], { sessions: [sessionRow()], calls });
      const taken = await inParallel(6, (racer) =>
        (stores[racer % 2] as Store).takeReminders(rootRef('s1'), T0),
      );
      const ids = taken.flat().map((call) => call.toolCallId);
      expect(ids.toSorted()).toEqual(calls.map((call) => call.toolCallId).toSorted());
    });

    it('take one answer and never suspend over it', async () => {
      const [one, two] = await openTwo(open);
      for (let round = 0; round < 40; round += 1) {
        const session = sessionRow({ sessionId: `s-${round}` });
        const call = callRow('a', { rootId: session.sessionId });
        await seed(one, { sessions: [session], calls: [call] });
        const { sessionId } = session;
        const [suspended, [taken, seen], again] = await Promise.all([
          one.commit(
            planFor(session, {
              guard: { sessions: [{ sessionId, version: 1 }], callsOpen: [callKey(call)] },
              sessions: [{ sessionId, set: { status: 'suspended_client_tool' } }],
            }),
          ),
          answer(two, callKey(call), 'two').then(
            async (accepted) => [accepted, (await two.readSession(session))?.status] as const,
          ),
          answer(one, callKey(call), 'one'),
        ]);
        expect([taken, again].filter(Boolean)).toHaveLength(1);
        if (taken && seen === 'running') expect(suspended).toBe(false);
      }
    });
  });
}
