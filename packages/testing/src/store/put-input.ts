// If this fails: a message to a busy session is lost, taken twice or out of order, or wakes nobody.
import { inputIdOfMessage, MAX_WAITING_MESSAGES } from '@helix-agents/core/store';
import type { RunStatus } from '@helix-agents/core';
import { describe, expect, it } from 'vitest';
import { inParallel } from './everything.ts';
import type { OpenStore } from './harness.ts';
import { planFor, recordFor, seed } from './plans.ts';
import { HOUR, messageRow, planRow, sessionRow, T0 } from './rows.ts';
import { messageTo } from './units.ts';

const running = sessionRow({ records: 4, ends: 2, userId: 'ann' });
const person = { messageId: 'x', userId: 'ann' };
const byPerson = { inputId: inputIdOfMessage('x'), sender: null, person };

const waiting = {
  rootId: 's1',
  sessionId: 's1',
  kind: 'message',
  sender: 's1',
  wake: true,
  state: 'waiting',
  createdAt: T0,
  settledAt: null,
  purgeAt: null,
} as const;

export function putInput(open: OpenStore): void {
  describe('putting a message', () => {
    it('stores it in the order of the records that it raises, and moves nothing else', async () => {
      const { store } = await open();
      await seed(store, { sessions: [running] });
      const { inputId, content } = messageTo(running);
      const row = { ...waiting, inputId, content, seq: 5, end: 3 };
      expect(await store.putInput(messageTo(running))).toEqual({
        found: true,
        put: true,
        row,
        status: 'running',
      });
      await store.putInput(messageTo(running, 1));
      expect(await store.readSession(running)).toEqual({ ...running, records: 6 });
      const second = { ...row, ...pick(messageTo(running, 1)), seq: 6 };
      expect((await store.readStep(running))?.inputs).toEqual([row, second]);
      expect(await store.readInputs(running)).toEqual([row, second]);
      expect(await store.readInputs(running, { inputId })).toEqual([row]);
      expect(await store.readInputs(running, { sender: 'nobody' })).toEqual([]);
    });

    it('finds the first at a repeat, whatever has become of it and of its receiver', async () => {
      const { store } = await open();
      await seed(store, { sessions: [running] });
      const first = await store.putInput(messageTo(running));
      const again = messageTo(running, 0, { content: 'other', now: T0 + 1 });
      expect(await store.putInput(again)).toEqual({ ...first, put: false });
      const { inputId } = again;
      const set = { state: 'taken', settledAt: T0, purgeAt: T0 + HOUR } as const;
      const plan = planFor(running, {
        sessions: [
          { sessionId: 's1', set: { status: 'failed', closed: true }, raise: { version: true } },
        ],
        update: { inputs: [{ sessionId: 's1', inputId, set }] },
      });
      expect(await store.commit(plan)).toBe(true);
      const taken = { found: true, put: false, status: 'failed', row: { inputId, ...set } };
      expect(await store.putInput(again)).toMatchObject(taken);
      expect(await store.readSession(running)).toMatchObject({ records: 5, version: 2 });
      expect((await store.readStep(running))?.inputs).toEqual([]);
    });

    const statuses: readonly [RunStatus, boolean][] = [
      ['running', true],
      ['suspended_client_tool', true],
      ['suspended_awaiting_children', true],
      ['suspended_step_partial', true],
      ['interrupted', true],
      ['completed', true],
      ['failed', false],
    ];
    it.each(statuses)(
      'to a session that is %s: put is %s, and marks only an idle one',
      async (status, fits) => {
        const { store } = await open();
        const row = sessionRow({ status });
        await seed(store, { sessions: [row] });
        const wakeAt = status === 'completed' ? T0 : null;
        const reply = await store.putInput(messageTo(row));
        expect(reply).toMatchObject(
          fits ? { put: true, status } : { found: false, why: 'status', status },
        );
        const after = fits ? { ...row, records: 1, wakeAt } : row;
        expect(await store.readSession(row)).toEqual(after);
        const fromPerson = await store.putInput(
          messageTo(row, 0, { ...byPerson, person: { messageId: 'x' } }),
        );
        expect(fromPerson).toMatchObject(
          status === 'running' ? { put: true } : { found: false, why: 'status', status },
        );
      },
    );

    it('is refused by a session that is absent, closed or a tombstone', async () => {
      const { store } = await open();
      const closed = sessionRow({ status: 'completed', closed: true });
      expect(await store.putInput(messageTo(closed))).toEqual({
        found: false,
        why: 'no_session',
        status: null,
      });
      await seed(store, { sessions: [closed] });
      const why = { found: false, why: 'closed' };
      expect(await store.putInput(messageTo(closed))).toEqual({ ...why, status: 'completed' });
      const tombstone = sessionRow({ sessionId: 't', status: 'failed', closed: true, version: 0 });
      await seed(store, { sessions: [tombstone] });
      expect(await store.putInput(messageTo(tombstone))).toEqual({ ...why, status: 'failed' });
      expect(await store.readSession(closed)).toEqual(closed);
      expect(await store.readInputs(closed)).toEqual([]);
    });

    it("takes a person's message of the session's user only, and not if the transcript has it", async () => {
      const { store } = await open();
      const said = messageRow(1, { message: { role: 'user', id: 'said', content: 'hi' } });
      await seed(store, { sessions: [running], messages: [said] });
      const put = (given: object): ReturnType<typeof store.putInput> =>
        store.putInput(messageTo(running, 0, { ...byPerson, ...given }));
      for (const userId of ['bob', null])
        expect(await put({ person: { ...person, userId } })).toMatchObject({ why: 'other_user' });
      expect(await put({ person: { ...person, messageId: 'said' } })).toMatchObject({
        why: 'in_transcript',
      });
      expect(await put({ person })).toMatchObject({ put: true, row: { sender: null } });
      const free = { inputId: 'm:y', person: { messageId: 'y' } };
      expect(await put(free), 'a user that is not named is not compared').toMatchObject({
        put: true,
      });
    });

    it(`lets ${MAX_WAITING_MESSAGES} wait, and more when some were taken`, async () => {
      const { store } = await open();
      await seed(store, { sessions: [running] });
      for (let index = 0; index < MAX_WAITING_MESSAGES; index += 1)
        expect(await store.putInput(messageTo(running, index))).toMatchObject({ put: true });
      const more = messageTo(running, MAX_WAITING_MESSAGES);
      expect(await store.putInput(more)).toEqual({ found: false, why: 'full', status: 'running' });
      expect(await store.putInput(messageTo(running, 3)), 'a repeat').toMatchObject({ put: false });
      const inputs = (await store.readStep(running))?.inputs ?? [];
      expect(inputs.map(({ content }) => content)).toEqual(
        inputs.map((_, index) => `message ${index}`),
      );
      const set = { state: 'taken', settledAt: T0 } as const;
      const taken = inputs
        .slice(0, 10)
        .map(({ sessionId, inputId }) => ({ sessionId, inputId, set }));
      expect(await store.commit(planFor(running, { update: { inputs: taken } }))).toBe(true);
      expect(await store.putInput(more)).toMatchObject({ put: true, row: { seq: 69 } });
      expect((await store.readStep(running))?.inputs).toHaveLength(MAX_WAITING_MESSAGES - 9);
    });

    it('at the same time as others gives each a place of its own, and one message one row', async () => {
      const { store } = await open();
      await seed(store, { sessions: [running] });
      const replies = await inParallel(20, (index) =>
        store.putInput(messageTo(running, index % 10)),
      );
      expect(replies.filter((reply) => reply.found && reply.put)).toHaveLength(10);
      const rows = await store.readInputs(running);
      expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, index) => 5 + index));
      expect(rows).toHaveLength(10);
      expect(await store.readSession(running)).toMatchObject({ records: 14, version: 1 });
    });

    it('makes a commit that names the records miss, and none that records', async () => {
      const { store } = await open();
      await seed(store, { sessions: [running] });
      await store.putInput(messageTo(running));
      const guard = { sessions: [{ sessionId: 's1', version: 1, records: 4 }] };
      expect(await store.commit(planFor(running, { guard }))).toBe(false);
      expect(await store.commit(recordFor(running, { journal: [planRow()] }))).toBe(true);
      expect(await store.readSession(running)).toMatchObject({ records: 6 });
    });
  });

  describe('an input', () => {
    it('is changed by a commit only in the state that it names', async () => {
      const { store } = await open();
      await seed(store, { sessions: [running] });
      const { sessionId, inputId } = messageTo(running);
      await store.putInput(messageTo(running));
      const change = (state: 'taken' | 'dropped') =>
        planFor(
          { ...running, version: state === 'taken' ? 1 : 2 },
          {
            update: { inputs: [{ sessionId, inputId, set: { state }, onlyIf: 'waiting' }] },
          },
        );
      expect(await store.commit(change('taken'))).toBe(true);
      expect(await store.commit(change('dropped'))).toBe(true);
      expect(await store.readInputs(running)).toMatchObject([{ state: 'taken' }]);
    });

    it('is purged when it does not wait and its time is over, and goes with its session', async () => {
      const { store } = await open();
      await seed(store, { sessions: [running] });
      for (const index of [0, 1, 2]) await store.putInput(messageTo(running, index));
      const [old, kept] = [0, 1].map((index) => messageTo(running, index));
      const update = (input: typeof old, purgeAt: number) => ({
        sessionId: 's1',
        inputId: input?.inputId ?? '',
        set: { state: 'dropped', settledAt: T0, purgeAt } as const,
      });
      const inputs = [update(old, T0 - HOUR), update(kept, T0 + HOUR)];
      await store.commit(planFor(running, { update: { inputs } }));
      const due = async (): Promise<unknown> =>
        (await store.findDue({ now: T0, hostKind: 'js', limit: 9 })).purgeableTops;
      expect(await due()).toEqual([{ rootId: 's1', sessionId: 's1' }]);
      expect(await store.purgeInputs(running, T0)).toBe(1);
      expect(await store.purgeInputs(running, T0)).toBe(0);
      expect(await due()).toEqual([]);
      expect(await store.readInputs(running)).toMatchObject(
        [kept, messageTo(running, 2)].map(pick),
      );
      await store.deleteSession(running);
      await seed(store, { sessions: [running] });
      expect(await store.readInputs(running)).toEqual([]);
      expect((await store.readStep(running))?.inputs).toEqual([]);
    });
  });
}

function pick(input: { readonly inputId: string; readonly content: unknown } | undefined): object {
  return { inputId: input?.inputId, content: input?.content };
}
