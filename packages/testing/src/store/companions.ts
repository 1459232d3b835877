// If this fails: the end of a companion is told twice or never, or a unit is found under another.
import type { RunStatus } from '@helix-agents/core';
import { describe, expect, it } from 'vitest';
import { inParallel } from './everything.ts';
import type { OpenStore, Store } from './harness.ts';
import { planFor, seed } from './plans.ts';
import { callRow, HOUR, referenceRow, refOf, sessionRow, settledCallRow, T0 } from './rows.ts';
import { companionRow, noticeTo } from './units.ts';

const parent = sessionRow({ status: 'suspended_awaiting_children' });
const reference = referenceRow('s1-agent-ann', { mode: 'persistent', name: 'ann', generation: 2 });
const suspended = { status: 'suspended_client_tool' } as const;

async function due(store: Store, except: readonly string[] = []): ReturnType<Store['findDue']> {
  return store.findDue({ now: T0, hostKind: 'js', limit: 100, except });
}

export function companions(open: OpenStore): void {
  describe('a notice', () => {
    it('is put once for an end that was not taken in, and found by its repeat', async () => {
      const { store } = await open();
      await seed(store, { sessions: [parent], references: [{ ...reference, told: 1 }] });
      const told = await store.putNotice(noticeTo(parent, 1));
      expect(told).toEqual({ found: false, why: 'told', status: parent.status });
      const replies = await inParallel(5, () => store.putNotice(noticeTo(parent, 2)));
      expect(replies.filter((reply) => reply.found && reply.put)).toHaveLength(1);
      const row = { kind: 'notice', sender: 's1-agent-ann', end: 2, seq: 1, wake: false };
      for (const reply of replies) expect(reply).toMatchObject({ found: true, row });
      expect(await store.readSession(parent)).toEqual({ ...parent, records: 1, wakeAt: T0 });
      expect(await store.readInputs(parent, { sender: 's1-agent-ann' })).toMatchObject([row]);
    });

    it('is refused unless its reference is live, and by a parent that is gone', async () => {
      const { store } = await open();
      const put = (): Promise<unknown> => store.putNotice(noticeTo(parent));
      expect(await put()).toEqual({ found: false, why: 'no_session', status: null });
      await seed(store, { sessions: [parent] });
      const not = { found: false, why: 'not_live', status: parent.status };
      expect(await put()).toEqual(not);
      for (const [index, state] of (['closing', 'closed'] as const).entries()) {
        const sessionId = `p${index}`;
        const other = sessionRow({ ...suspended, sessionId });
        await seed(store, { sessions: [other], references: [{ ...reference, sessionId, state }] });
        expect(await store.putNotice(noticeTo(other))).toMatchObject({ why: 'not_live' });
        expect(await store.readSession(other)).toEqual(other);
      }
    });

    const marks: readonly [RunStatus, boolean, boolean][] = [
      ['running', true, false],
      ['suspended_step_partial', false, true],
      ['interrupted', true, false],
      ['completed', false, false],
      ['completed', true, true],
      ['failed', true, false],
    ];
    it.each(marks)(
      'at a parent that is %s, with wake %s: the mark is set is %s',
      async (status, wake, isMarked) => {
        const { store } = await open();
        const row = sessionRow({ status });
        await seed(store, { sessions: [row], references: [{ ...reference, wake }] });
        expect(await store.putNotice(noticeTo(row))).toMatchObject({
          put: true,
          status,
          row: { wake },
        });
        const wakeAt = isMarked ? T0 : null;
        expect(await store.readSession(row)).toEqual({ ...row, records: 1, wakeAt });
        expect((await due(store)).wakeableTops).toHaveLength(isMarked ? 1 : 0);
      },
    );
  });

  describe('a companion', () => {
    it('keeps all its columns, in its own row and in the reference', async () => {
      const { store } = await open();
      const set = { ends: 3, reported: 2, wakeAt: T0 + 1, stop: 'unit' } as const;
      const ann = companionRow(set);
      const told = { started: true, told: 2, asked: 3, wake: true } as const;
      const row = { ...reference, ...told, closingStep: 7, closingAt: T0 + 2 };
      await seed(store, { sessions: [parent, ann], references: [row] });
      expect(await store.readSession(ann)).toEqual(ann);
      expect(await store.readReferences(parent)).toEqual([row]);
      const none = { ends: 4, reported: 4, wakeAt: null, stop: null } as const;
      const closing = { state: 'closing', closingStep: null, closingAt: null, told: 9 } as const;
      const plan = planFor(ann, {
        sessions: [{ sessionId: ann.sessionId, set: none, raise: { version: true } }],
        update: { references: [{ sessionId: 's1', subSessionId: ann.sessionId, set: closing }] },
      });
      expect(await store.commit(plan)).toBe(true);
      expect(await store.readSession(ann)).toEqual({ ...ann, ...none, version: 2 });
      expect(await store.readReferences(parent)).toEqual([{ ...row, ...closing }]);
    });

    it('is reported up to its highest end, and due until then', async () => {
      const { store } = await open();
      const ann = companionRow({ status: 'completed', ends: 3 });
      await seed(store, { sessions: [parent, ann] });
      expect((await due(store)).unreportedTops).toEqual([ann]);
      expect((await due(store, [ann.sessionId])).unreportedTops).toEqual([]);
      await store.report(ann, 2);
      await store.report(ann, 1);
      expect(await store.readSession(ann)).toEqual({ ...ann, reported: 2 });
      await store.report(ann, 3);
      expect((await due(store)).unreportedTops).toEqual([]);
      await store.report(parent, 1);
      await store.report({ rootId: 's1', sessionId: 'nobody' }, 1);
      expect(await store.readSession(parent)).toEqual(parent);
    });

    it('is woken, taken over and resumed as a top of its own', async () => {
      const { store } = await open();
      const wakeAt = T0 - HOUR;
      const dead = companionRow({ sessionId: 'dead', leaseOwner: 'x', leaseUntil: T0 - HOUR });
      const marked = companionRow({ sessionId: 'marked', status: 'completed', wakeAt });
      const answered = companionRow({ sessionId: 'answered', ...suspended });
      const others = [
        companionRow({ sessionId: 'running', wakeAt }),
        companionRow({ sessionId: 'ahead', ...suspended, wakeAt: T0 + HOUR }),
        companionRow({ sessionId: 'closed', status: 'completed', closed: true, wakeAt }),
        companionRow({ sessionId: 'failed', status: 'failed', wakeAt }),
        sessionRow({ rootId: 's1', sessionId: 'below', ...suspended, wakeAt }),
      ];
      const root = sessionRow({ ...suspended });
      const ofAnswered = {
        unitId: 'answered',
        ownerSessionId: 'answered',
        route: ['s1', 'answered'],
      };
      await seed(store, {
        sessions: [root, dead, marked, answered, ...others],
        calls: [
          callRow('mine'),
          callRow('its', { ...ofAnswered, state: 'answered', outcome: 'approved' }),
        ],
      });
      expect(await due(store)).toMatchObject({
        deadTops: [dead],
        wakeableTops: [marked],
        answeredTops: [answered],
      });
      expect(await due(store, ['dead', 'marked', 'answered'])).toMatchObject({
        deadTops: [],
        wakeableTops: [],
        answeredTops: [],
      });
      const set = { wakeAt: null } as const;
      await store.commit(planFor(marked, { sessions: [{ sessionId: 'marked', set }] }));
      await store.renewLease({ ...refOf(dead), epoch: 1, owner: 'x', extendMs: HOUR, now: T0 });
      const after = await due(store);
      expect([after.wakeableTops, after.deadTops]).toEqual([[], []]);
      await store.deleteSession(refOf(answered));
      expect((await due(store)).answeredTops).toEqual([]);
    });

    it('has the calls of its unit to itself', async () => {
      const { store } = await open();
      const ann = companionRow(suspended);
      const of = { unitId: ann.sessionId, ownerSessionId: ann.sessionId, route: ann.route };
      const late = { deadlineAt: T0 - HOUR, remindAt: T0 - HOUR };
      await seed(store, {
        sessions: [parent, ann],
        calls: [
          callRow('mine', late),
          callRow('its', { ...of, ...late }),
          settledCallRow('gone', { ...of, purgeAt: T0 - HOUR }),
        ],
      });
      const idsOf = (rows: readonly { toolCallId: string }[] = []): string[] =>
        rows.map(({ toolCallId }) => toolCallId);
      expect(idsOf((await store.readStep(parent))?.calls)).toEqual(['mine']);
      expect(idsOf((await store.readStep(ann))?.calls)).toEqual(['its']);
      const found = await due(store);
      const both = [refOf(parent), refOf(ann)];
      for (const tops of [found.overdueTops, found.remindableTops])
        expect(tops.toSorted((a, b) => (a.sessionId < b.sessionId ? -1 : 1))).toEqual(both);
      expect(found.purgeableTops).toEqual([refOf(ann)]);
      expect((await due(store, ['s1'])).overdueTops).toEqual([refOf(ann)]);
      expect(idsOf(await store.takeReminders(refOf(ann), T0))).toEqual(['its']);
      expect(idsOf(await store.expireCalls(refOf(ann), T0))).toEqual(['its']);
      expect(await store.purgeCalls(refOf(parent), T0)).toBe(0);
      expect(await store.purgeCalls(refOf(ann), T0)).toBe(1);
      expect((await due(store)).answeredTops).toEqual([ann]);
    });
  });

  describe('a commit', () => {
    it('that names a session as not closed misses a closed one', async () => {
      const { store } = await open();
      const closed = sessionRow({ sessionId: 'closed', status: 'completed', closed: true });
      await seed(store, { sessions: [sessionRow()] });
      await seed(store, { sessions: [closed] });
      for (const row of [sessionRow(), closed]) {
        const { sessionId } = row;
        for (const status of [['running', 'completed'], undefined] as const) {
          const guard = {
            sessions: [{ sessionId, closed: false, ...(status && { status }) }],
          } as const;
          expect(await store.commit(planFor(row, { guard }))).toBe(!row.closed);
        }
      }
    });

    it('that names an interrupt misses when it is gone or has another scope', async () => {
      const { store } = await open();
      const row = sessionRow();
      const { sessionId, runId } = row;
      await seed(store, { sessions: [row] });
      const obey = (scope?: 'tree' | 'unit'): Promise<boolean> =>
        store.commit(
          planFor(row, {
            guard: { interruptsPresent: [{ sessionId, runId, ...(scope && { scope }) }] },
            sessions: [{ sessionId }],
            remove: { interrupts: [{ sessionId, runId }] },
          }),
        );
      expect(await obey()).toBe(false);
      const stop = await store.requestInterrupt(row, 'enough', T0, { scope: 'unit' });
      expect(stop).toMatchObject({ scope: 'unit' });
      expect(await store.requestInterrupt(row, null, T0), 'the first stays').toEqual(stop);
      expect((await store.readStep(row))?.interrupt).toEqual(stop);
      expect(await obey('tree')).toBe(false);
      expect(await obey('unit')).toBe(true);
      expect(await obey()).toBe(false);
      await store.requestInterrupt(row, null, T0);
      expect(await obey()).toBe(true);
    });
  });

  it('an answer keeps the id of its submission, and a call the place of its authority', async () => {
    const { store } = await open();
    const remote = { subSessionId: 'r-1', toolCallId: 'there' };
    const call = callRow('a', { remote });
    await seed(store, { sessions: [sessionRow(suspended)], calls: [call] });
    expect(await store.readCalls('s1')).toEqual([call]);
    const key = { rootId: 's1', toolCallId: 'a', part: '' };
    const answer = { kind: 'result', value: 1 } as const;
    const input = { key, outcome: 'answered', answer, answeredBy: null, now: T0 } as const;
    const first = await store.answerCall({ ...input, submissionId: 'one' });
    expect(first).toMatchObject({ taken: true, row: { submissionId: 'one', remote } });
    const second = await store.answerCall({ ...input, submissionId: 'two' });
    expect(second).toMatchObject({ taken: false, row: { submissionId: 'one' } });
  });
}
