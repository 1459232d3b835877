// If this fails: two people both get "accepted" for one question, an answer after the deadline
// counts, or an accepted answer is gone.
import { callKey } from '@helix-agents/core/store';
import type { OpenCallRow } from '@helix-agents/core';
import type { AnswerCall, AnswerCallResult, CallAnswer } from '@helix-agents/core/store';
import { describe, expect, it } from 'vitest';
import { inParallel } from './everything.ts';
import type { OpenStore, Store } from './harness.ts';
import { seed } from './plans.ts';
import { callRow, HOUR, sessionRow, settledCallRow, T0 } from './rows.ts';

const row = sessionRow({ status: 'suspended_client_tool' });

function submission(call: OpenCallRow, given: Partial<AnswerCall> = {}): AnswerCall {
  const answer: CallAnswer = { kind: 'result', value: 'yes' };
  return {
    key: callKey(call),
    outcome: 'answered',
    answer,
    answeredBy: 'user-1',
    now: T0,
    ...given,
  };
}

async function seedCalls(store: Store, ...calls: readonly OpenCallRow[]): Promise<void> {
  await seed(store, { sessions: [row], calls });
}

function rowIn(result: AnswerCallResult): OpenCallRow | null {
  return result.found ? result.row : null;
}

export function answerCall(open: OpenStore): void {
  describe('answerCall', () => {
    it('takes the first answer and shows it to the second caller', async () => {
      const { store } = await open();
      const call = callRow('a');
      await seedCalls(store, call);
      const first = await store.answerCall(submission(call));
      const answered: OpenCallRow = {
        ...call,
        state: 'answered',
        outcome: 'answered',
        answer: { kind: 'result', value: 'yes' },
        answeredBy: 'user-1',
        answeredAt: T0,
      };
      expect(first).toEqual({ found: true, taken: true, row: answered });
      const second = await store.answerCall(
        submission(call, { outcome: 'cancelled', answer: { kind: 'none' }, answeredBy: 'user-2' }),
      );
      expect(second).toEqual({ found: true, taken: false, row: answered });
      expect(await store.readCalls('s1')).toEqual([answered]);
    });

    it('takes no answer for another kind of call or another approval, and leaves the call open', async () => {
      const { store } = await open();
      const asked = callRow('a', { kind: 'approval', approvalId: 'run::a' });
      const client = callRow('b', { kind: 'client', approvalId: null });
      await seedCalls(store, asked, client);
      const wrong: readonly [OpenCallRow, AnswerCall['only']][] = [
        [asked, { kind: 'client' }],
        [asked, { kind: 'approval', approvalId: 'run::b' }],
        [client, { kind: 'approval' }],
        [client, { kind: 'approval', approvalId: 'run::a' }],
      ];
      for (const [call, only] of wrong) {
        const refused = await store.answerCall(submission(call, only && { only }));
        expect(refused).toEqual({ found: true, taken: false, row: call });
      }
      const right = [
        submission(asked, { only: { kind: 'approval', approvalId: 'run::a' } }),
        submission(client, { only: { kind: 'client' } }),
      ];
      for (const one of right) expect(await store.answerCall(one)).toMatchObject({ taken: true });
      for (const [call, only] of wrong) {
        const late = await store.answerCall(submission(call, only && { only }));
        expect(late).toMatchObject({ taken: false, row: { state: 'answered' } });
      }
    });

    it('does not move the session', async () => {
      const { store } = await open();
      const call = callRow('a');
      await seedCalls(store, call);
      await store.answerCall(submission(call));
      expect(await store.readSession(row)).toEqual(row);
    });

    it('takes one of 50 concurrent answers, and that one stands', async () => {
      const { store } = await open();
      const call = callRow('a', { deadlineAt: T0 + HOUR });
      await seedCalls(store, call);
      const results = await inParallel(50, (index) =>
        store.answerCall(submission(call, { answer: { kind: 'result', value: index } })),
      );
      const winners = results.flatMap((result, index) =>
        result.found && result.taken ? [index] : [],
      );
      expect(winners).toHaveLength(1);
      const answer = { kind: 'result', value: winners[0] };
      for (const result of results) expect(rowIn(result)).toMatchObject({ answer });
      expect((await store.readCalls('s1'))[0]).toMatchObject({ state: 'answered', answer });
    });

    it('takes answers to different calls at once', async () => {
      const { store } = await open();
      const calls = Array.from({ length: 30 }, (_, index) => callRow(`call-${index}`));
      await seedCalls(store, ...calls);
      const results = await Promise.all(calls.map((call) => store.answerCall(submission(call))));
      expect(results.every((result) => result.found && result.taken)).toBe(true);
    });

    it('finds a call by root, id and part together', async () => {
      const { store } = await open();
      await seedCalls(store, callRow('a'), callRow('a', { part: 'second' }));
      const none = { found: false };
      expect(await store.answerCall(submission(callRow('b')))).toEqual(none);
      expect(await store.answerCall(submission(callRow('a', { part: 'third' })))).toEqual(none);
      expect(await store.answerCall(submission(callRow('a', { rootId: 's2' })))).toEqual(none);
      await store.answerCall(submission(callRow('a', { part: 'second' })));
      const states = new Map((await store.readCalls('s1')).map((call) => [call.part, call.state]));
      expect(states).toEqual(
        new Map([
          ['', 'open'],
          ['second', 'answered'],
        ]),
      );
    });

    it('changes nothing on a settled call', async () => {
      const { store } = await open();
      const call = settledCallRow('a', { deadlineAt: T0 - HOUR });
      await seedCalls(store, call);
      const result = await store.answerCall(submission(call));
      expect(result).toEqual({ found: true, taken: false, row: call });
    });

    it.each([
      [{ kind: 'result', value: false }],
      [{ kind: 'result', value: 0 }],
      [{ kind: 'result', value: '' }],
      [{ kind: 'result', value: null }],
      [{ kind: 'result', value: [] }],
      [{ kind: 'error', error: 'no such file' }],
      [{ kind: 'approved', input: { amount: 5 } }],
      [{ kind: 'approved' }],
      [{ kind: 'denied', reason: 'too much' }],
      [{ kind: 'none' }],
    ] satisfies [CallAnswer][])('keeps the answer %j as it is', async (answer) => {
      const { store } = await open();
      const call = callRow('a');
      await seedCalls(store, call);
      expect(rowIn(await store.answerCall(submission(call, { answer })))?.answer).toEqual(answer);
      expect((await store.readCalls('s1'))[0]?.answer).toEqual(answer);
    });
  });

  describe('answerCall after a deadline', () => {
    it.each([
      ['without a deadline', null, true],
      ['before its deadline', T0 + HOUR, true],
      ['at its deadline', T0, false],
      ['after its deadline', T0 - HOUR, false],
    ])('a call %s', async (_, deadlineAt, taken) => {
      const { store } = await open();
      const call = callRow('a', { deadlineAt });
      await seedCalls(store, call);
      const result = await store.answerCall(submission(call));
      expect(result).toMatchObject({ found: true, taken });
      expect(rowIn(result)).toMatchObject(
        taken
          ? { state: 'answered', outcome: 'answered', answeredBy: 'user-1' }
          : { state: 'answered', outcome: 'expired', answer: { kind: 'none' }, answeredBy: null },
      );
      expect((await store.readCalls('s1'))[0]).toEqual(rowIn(result));
    });

    it('gives every late caller the same outcome', async () => {
      const { store } = await open();
      const call = callRow('a', { deadlineAt: T0 - HOUR });
      await seedCalls(store, call);
      const results = await inParallel(10, () => store.answerCall(submission(call)));
      const [first] = results;
      for (const result of results) expect(result).toEqual(first);
      expect(first).toMatchObject({ taken: false, row: { outcome: 'expired' } });
    });
  });
}
