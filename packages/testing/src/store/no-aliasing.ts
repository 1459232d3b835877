// If this fails: a tool that changes the state object it was given changes the stored state too,
// without a commit, and only in the process where it happens.
import { callKey } from '@helix-agents/core/store';
import type { OpenCallRow } from '@helix-agents/core';
import type { CommitPlan } from '@helix-agents/core/store';
import { describe, expect, it } from 'vitest';
import { readEverything } from './everything.ts';
import type { OpenStore } from './harness.ts';
import { planFor, seed } from './plans.ts';
import {
  callRow,
  checkpointRow,
  messageRow,
  referenceRow,
  resultRow,
  runRow,
  sessionRow,
  T0,
} from './rows.ts';

/** Changes everything it can reach. A frozen value refuses, which is as good as a copy. */
function spoil(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const key of Object.keys(value)) {
    spoil(Reflect.get(value, key));
    Reflect.set(value, key, 'spoiled');
  }
  Reflect.set(value, 'added', 'spoiled');
}

function fullRows(): { sessions: [ReturnType<typeof sessionRow>] } & NonNullable<
  CommitPlan['insert']
> {
  return {
    sessions: [
      sessionRow({ customState: { list: [{ deep: 1 }] }, tags: ['a'], metadata: { b: 1 } }),
    ],
    messages: [messageRow(1)],
    journal: [resultRow({ list: [1] })],
    calls: [callRow('a')],
    references: [referenceRow('c')],
    checkpoints: [checkpointRow(1, { customState: { list: [{ deep: 1 }] } })],
    runs: [runRow('run')],
  };
}

export function noAliasing(open: OpenStore): void {
  describe('a store that shares no values', () => {
    it('keeps what was handed in when the caller changes it later', async () => {
      const { store } = await open();
      const [mine, expected] = [fullRows(), fullRows()];
      await seed(store, mine);
      const before = await readEverything(store, expected.sessions);
      spoil(mine);
      expect(await readEverything(store, expected.sessions)).toEqual(before);
    });

    it('keeps what was updated when the caller changes it later', async () => {
      const { store } = await open();
      await seed(store, fullRows());
      const [row] = fullRows().sessions;
      const plan = planFor(row, {
        sessions: [{ sessionId: 's1', set: { customState: { list: [2] }, output: { a: [1] } } }],
        update: {
          calls: [{ key: callKey(callRow('a')), set: { answer: { kind: 'result', value: [1] } } }],
        },
      });
      expect(await store.commit(plan)).toBe(true);
      const before = await readEverything(store, [row]);
      spoil(plan);
      expect(await readEverything(store, [row])).toEqual(before);
    });

    it('keeps an answer when the caller changes it later', async () => {
      const { store } = await open();
      await seed(store, fullRows());
      const answer = { kind: 'result', value: { files: ['a'] } } as const;
      const key = callKey(callRow('a'));
      const input = { key, outcome: 'answered', answer, answeredBy: null, now: T0 } as const;
      const result = await store.answerCall(input);
      spoil(input);
      spoil(result);
      const [call] = (await store.readCalls('s1')) as [OpenCallRow];
      expect(call.answer).toEqual({ kind: 'result', value: { files: ['a'] } });
    });

    it('keeps what is stored when a reader changes what it got', async () => {
      const { store } = await open();
      await seed(store, fullRows());
      const [row] = fullRows().sessions;
      await store.requestInterrupt(row, 'stop', T0);
      const before = await readEverything(store, [row]);
      spoil(await readEverything(store, [row]));
      spoil(await store.requestInterrupt(row, 'stop', T0));
      spoil(await store.listSessions());
      spoil(await store.listOpenCalls());
      spoil(await store.findDue({ now: T0, hostKind: 'js', limit: 10 }));
      expect(await readEverything(store, fullRows().sessions)).toEqual(before);
    });
  });
}
