// If this fails: one strange character in a tool's output, a user's text or an id makes a session
// unreadable, or reaches into another session.
import { callKey } from '@helix-agents/core/store';
import type { JsonValue } from '@helix-agents/core';
import type { CallKey } from '@helix-agents/core/store';
import { describe, expect, it } from 'vitest';
import { sorted } from './everything.ts';
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
  usageRow,
} from './rows.ts';

const depth = 1_000;

function nested(): JsonValue {
  let value: JsonValue = 'bottom';
  for (let level = 0; level < depth; level += 1) value = level % 2 ? [value] : { value };
  return value;
}

const values: readonly [string, JsonValue][] = [
  ['empty string', ''],
  ['NUL', 'before\u0000after \\u0000'],
  ['lone surrogates', '\ud800 and \udc00'],
  ['emoji and combining marks', '👩‍👩‍👧 e\u0301 \u202e'],
  ['line separators', 'a\u2028b\u2029c\r\n\t\u0007'],
  ['quotes and placeholders', `'"\`; drop table x; -- ? $1 :name @p {0} %s`],
  ['numbers', [1e21, 1e-7, Number.MAX_SAFE_INTEGER, Number.MIN_VALUE, 0.1, -1, 1.5e300]],
  ['null and booleans', [null, true, false]],
  ['empty containers', { list: [], object: {} }],
  ['keys of objects', JSON.parse('{"__proto__":{"a":1},"constructor":1,"":2,"a.b":3,"1":4}')],
  ['text that looks like JSON', '{"a":1}'],
  ['depth', nested()],
];

const texts: readonly [string, string][] = [
  ['empty', ''],
  ['NUL', 'a\u0000b'],
  ['quotes', `it's "so"; -- $1 ?`],
  ['wide', '完了 ✅'],
  ['halves of pairs', 'a\ud800b\udc00'],
  ['signs for private use, and escapes', '\ue000 \ue0001 \ue000d800 \\ud800 \\u0000'],
];

/** A store that keeps UTF-8 would take the first ones for one. */
const alike = ['\ud800', '\ud801', '\udc00', '\ufffd', '\ue000d800', '\\ud800'];

const ids = [
  'ünïcödé-会議',
  'a:b*c',
  '../up',
  'with space',
  "quote'",
  'per%cent_',
  '{slot}',
  'x'.repeat(200),
];

export function oddValues(open: OpenStore): void {
  describe('odd values come back as they were', () => {
    it.each(values)('%s', async (_, value) => {
      const { store } = await open();
      const row = sessionRow({ customState: { value }, output: value, metadata: { value } });
      const call = callRow('a', { input: value });
      const checkpoint = checkpointRow(1, { customState: value });
      const journal = [resultRow(value)];
      await seed(store, { sessions: [row], calls: [call], journal, checkpoints: [checkpoint] });
      const step = await store.readStep(row);
      expect(step).toMatchObject({ session: row, journal, calls: [call] });
      expect(await store.readCheckpoints(row)).toEqual([checkpoint]);

      const answer = { kind: 'result', value } as const;
      const key = callKey(call);
      await store.answerCall({ key, outcome: 'answered', answer, answeredBy: null, now: T0 });
      expect((await store.readCalls('s1'))[0]?.answer).toEqual(answer);
      expect(Object.hasOwn(Object.prototype, 'a'), 'the prototype is untouched').toBe(false);
    });

    it.each(texts)('texts: %s', async (_, text) => {
      const { store } = await open();
      const row = sessionRow({
        error: { code: text, message: text },
        failureReason: text,
        userId: text,
        tags: [text],
        metadata: { [text]: text },
      });
      const messages = [
        messageRow(1, { message: { role: 'user', content: text } }),
        messageRow(2, {
          message: {
            role: 'tool',
            toolCallId: text,
            toolName: text,
            content: text,
            format: 'text',
            success: true,
          },
        }),
      ];
      await seed(store, { sessions: [row], messages });
      expect(await store.readSession(row)).toEqual(row);
      expect(await store.readMessages(row)).toEqual(messages);
      expect(await store.requestInterrupt(row, text, T0)).toMatchObject({ reason: text });
      expect((await store.readStep(row))?.interrupt?.reason).toBe(text);
      expect((await store.listSessions({ tags: [text] })).items).toHaveLength(1);
      expect((await store.listSessions({ metadata: { [text]: text } })).items).toHaveLength(1);
    });

    it('takes -0 for 0, as JSON does', async () => {
      const { store } = await open();
      await seed(store, { sessions: [sessionRow({ customState: [-0] })] });
      const state = (await store.readSession(sessionRow()))?.customState as number[];
      expect(state[0] === 0).toBe(true);
    });

    it('keeps a lone surrogate in the text of a message', async () => {
      const { store } = await open();
      const message = messageRow(1, { message: { role: 'user', content: 'cut \ud83d' } });
      await seed(store, { sessions: [sessionRow()], messages: [message] });
      expect(await store.readMessages(sessionRow())).toEqual([message]);
    });

    it('sets a field to null and back', async () => {
      const { store } = await open();
      const row = sessionRow({ output: { a: 1 }, error: { code: 'c', message: 'm' } });
      await seed(store, { sessions: [row] });
      const cleared = { output: null, error: null, leaseOwner: null } as const;
      await store.commit(planFor(row, { sessions: [{ sessionId: 's1', set: cleared }] }));
      expect(await store.readSession(row)).toEqual({ ...row, ...cleared });
    });
  });

  describe('odd ids stay apart', () => {
    it.each(ids)('%s', async (id) => {
      const { store } = await open();
      const other = sessionRow({ sessionId: `${id}2` });
      await seed(store, { sessions: [other], calls: [callRow(id, { rootId: other.sessionId })] });
      const row = sessionRow({ sessionId: id });
      const child = sessionRow({ sessionId: `${id}-sub-1-0`, rootId: id });
      const call = callRow(id, { rootId: id, route: [id, child.sessionId], part: id });
      const messages = [messageRow(1, { sessionId: id })];
      await seed(store, {
        sessions: [row, child],
        messages,
        calls: [call],
        references: [referenceRow(child.sessionId, { sessionId: id })],
        runs: [runRow(`run-${id}`, { sessionId: id })],
      });
      expect(await store.readStep(row)).toMatchObject({ session: row, calls: [call] });
      expect((await store.readStep(child))?.calls).toEqual([call]);
      expect(await store.readMessages(row)).toEqual(messages);
      expect(await store.readMessages(other)).toEqual([]);
      expect((await store.listOpenCalls({ rootSessionId: id })).items).toEqual([call]);
      await store.deleteSession(row);
      expect(await store.readSession(other)).toEqual(other);
      expect(await store.readCalls(other.sessionId)).toHaveLength(1);
    });

    it('when they differ in half of a pair only', async () => {
      const { store } = await open();
      const row = sessionRow({ userId: 'u\ud800' });
      const calls = alike.map((id) => callRow(id, { userId: 'u\ud800', approvalId: id }));
      await seed(store, {
        sessions: [row, sessionRow({ sessionId: 'child', rootId: 's1', userId: 'u\ud801' })],
        calls,
        runs: alike.map((id, turn) => runRow(id, { turn: turn + 1 })),
        references: alike.map((id) => referenceRow(id)),
        usage: alike.map((id) => usageRow(id)),
      });
      expect(sorted(await store.readCalls('s1'))).toEqual(sorted(calls));
      expect((await store.readRuns(row)).map(({ runId }) => runId)).toEqual(alike);
      expect(sorted(await store.readReferences(row))).toHaveLength(alike.length);
      for (const [place, id] of alike.entries()) {
        expect(await store.readCalls('s1', { toolCallId: id, part: '' })).toEqual([calls[place]]);
      }
      const ofUser = async (userId: string): Promise<number> =>
        (await store.listOpenCalls({ userId })).items.length;
      expect([await ofUser('u\ud800'), await ofUser('u\ud801')]).toEqual([alike.length, 0]);
      const found = await store.listSessions({ userId: 'u\ud801', rootsOnly: false });
      expect(found.items.map(({ sessionId }) => sessionId)).toEqual(['child']);

      const [first, second, ...others] = calls.map(callKey) as [CallKey, CallKey, ...CallKey[]];
      const answer = { kind: 'result', value: 1 } as const;
      const by = { answeredBy: '\udfff', now: T0 };
      const answered = await store.answerCall({ key: second, outcome: 'answered', answer, ...by });
      expect(answered).toMatchObject({ taken: true, row: { ...second, answeredBy: '\udfff' } });
      const commitIfOpen = (callsOpen: readonly CallKey[]): Promise<boolean> =>
        store.commit(
          planFor(row, {
            guard: { sessions: [{ sessionId: 's1' }], callsOpen },
            update: { calls: callsOpen.map((key) => ({ key, set: { remindAt: T0 } })) },
          }),
        );
      expect(await commitIfOpen([first, second])).toBe(false);
      expect(await commitIfOpen([first, ...others])).toBe(true);
      const reminded = (await store.readCalls('s1')).filter(({ remindAt }) => remindAt !== null);
      expect(reminded).toHaveLength(alike.length - 1);
    });

    it.each([',', '"', '\\', '['])('%s, which also stands between ids in a list', async (id) => {
      const { store } = await open();
      const child = sessionRow({ sessionId: id, rootId: 's1' });
      const calls = [
        callRow('a', { route: ['s1', 's1-sub', 's1-sub-sub'] }),
        callRow('b', { route: ['s1', id] }),
      ];
      await seed(store, { sessions: [sessionRow(), child], calls });
      expect((await store.readStep(child))?.calls).toEqual([calls[1]]);
      expect((await store.readStep(sessionRow()))?.calls).toEqual(calls);
    });
  });
}
