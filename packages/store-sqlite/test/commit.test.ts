import { callKey } from '@helix-agents/core/store';
import type { CommitGuard, CommitPlan, SessionGuard } from '@helix-agents/core/store';
import {
  callRow,
  messageRow,
  referenceRow,
  sessionRow,
  startRow,
  T0,
} from '@helix-agents/testing/rows';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { SqliteStateStore } from '../src/index.ts';
import { planOf, seedOf } from './rows.ts';

const ref = { rootId: 's1', sessionId: 's1' };
const child = { rootId: 's1', sessionId: 's1-sub-1-0' };

/** A root with a child, an open call, an answered call, a reference and a journal row. */
async function seeded(): Promise<{ database: DatabaseSync; store: SqliteStateStore }> {
  const database = new DatabaseSync(':memory:');
  const store = new SqliteStateStore(database);
  const seed = seedOf(
    sessionRow({ leaseOwner: 'owner', leaseUntil: T0 + 1000 }),
    sessionRow({ ...child, streamId: 's1' }),
  );
  const done = await store.sessions.commit({
    ...seed,
    insert: {
      ...seed.insert,
      messages: [messageRow(1)],
      journal: [startRow('a')],
      calls: [callRow('open'), callRow('said', { state: 'answered', outcome: 'approved' })],
      references: [referenceRow(child.sessionId)],
    },
  });
  expect(done).toBe(true);
  return { database, store };
}

/** Every row of every table but the stamps that only `applied` writes change. */
function dump(database: DatabaseSync): unknown {
  const tables = database.prepare(`select name from sqlite_master where type = 'table'`).all();
  return tables.map(({ name }) => [name, database.prepare(`select * from ${String(name)}`).all()]);
}

/** Touches every table a plan can touch. */
const wide: Partial<CommitPlan> = {
  sessions: [
    { sessionId: 's1', set: { status: 'completed', output: { a: 1 } }, raise: { version: true } },
    { sessionId: child.sessionId, set: { status: 'failed' }, raise: { records: true } },
  ],
  insert: {
    sessions: [sessionRow({ sessionId: 's1-sub-1-1', rootId: 's1' })],
    messages: [messageRow(2), messageRow(3)],
    calls: [callRow('new')],
    usage: [
      {
        id: 'u1',
        sessionId: 's1',
        rootId: 's1',
        runId: 'run-1',
        stepCount: 1,
        kind: 'tool',
        sourceType: 'tool',
        sourceName: 'x',
        data: {},
        timestamp: T0,
      },
    ],
    runs: [
      {
        runId: 'run-2',
        sessionId: 's1',
        turn: 2,
        status: 'running',
        trigger: 'resume',
        stepCount: 0,
        previousRunId: 'run-1',
        fromCheckpointId: null,
        startSequence: 0,
        startedAt: T0,
        completedAt: null,
      },
    ],
    checkpoints: [
      {
        sessionId: 's1',
        version: 2,
        checkpointId: 'c',
        runId: 'run-1',
        stepId: 1,
        stepCount: 1,
        status: 'running',
        messageCount: 3,
        customState: null,
        streamSequence: 0,
        timestamp: T0,
      },
    ],
  },
  update: {
    calls: [{ key: callKey(callRow('open')), set: { state: 'settled', settledAt: T0 } }],
    references: [{ sessionId: 's1', subSessionId: child.sessionId, set: { state: 'closing' } }],
  },
  remove: { journal: [{ sessionId: 's1', stepId: 1 }] },
};

const session = (guard: Omit<SessionGuard, 'sessionId'>): CommitGuard => ({
  sessions: [{ sessionId: 's1', ...guard }],
});
const openReference = { sessionId: 's1', subSessionId: child.sessionId, state: 'live' } as const;

const holding: Record<string, CommitGuard> = {
  version: session({ version: 1 }),
  epoch: session({ epoch: 1 }),
  stepId: session({ stepId: 1 }),
  records: session({ records: 0 }),
  status: session({ status: ['interrupted', 'running'] }),
  absent: { sessions: [{ sessionId: 'nobody', absent: true }] },
  'another session': { sessions: [{ sessionId: child.sessionId, version: 1 }] },
  callsOpen: { callsOpen: [callKey(callRow('open'))] },
  calls: { calls: [{ key: callKey(callRow('said')), state: 'answered', outcome: 'approved' }] },
  references: { references: [openReference] },
  journalAbsent: { journalAbsent: [{ sessionId: 's1', stepId: 1, index: 1, kind: 'start' }] },
};

const missing: Record<string, CommitGuard> = {
  version: session({ version: 2 }),
  epoch: session({ epoch: 2 }),
  stepId: session({ stepId: 2 }),
  records: session({ records: 1 }),
  status: session({ status: ['interrupted'] }),
  'no status': session({ status: [] }),
  absent: session({ absent: true }),
  leaseExpired: session({ leaseExpired: true }),
  'another session': { sessions: [{ sessionId: child.sessionId, version: 7 }] },
  'a session that is not there': { sessions: [{ sessionId: 'nobody' }] },
  'the second of two sessions': {
    sessions: [
      { sessionId: 's1', version: 1 },
      { sessionId: child.sessionId, epoch: 9 },
    ],
  },
  callsOpen: { callsOpen: [callKey(callRow('open')), callKey(callRow('said'))] },
  'callsOpen, no such call': { callsOpen: [callKey(callRow('never'))] },
  'calls, other outcome': {
    calls: [{ key: callKey(callRow('said')), state: 'answered', outcome: 'denied' }],
  },
  'calls, other state': {
    calls: [{ key: callKey(callRow('said')), state: 'settled', outcome: 'approved' }],
  },
  references: { references: [{ ...openReference, state: 'closing' }] },
  journalAbsent: { journalAbsent: [{ sessionId: 's1', stepId: 1, index: 0, kind: 'start' }] },
};

describe('a commit on SQLite', () => {
  it.each(Object.entries(holding))('is written when the guard holds: %s', async (_, guard) => {
    const { store } = await seeded();
    expect(await store.sessions.commit(planOf({ ...wide, guard }))).toBe(true);
    expect(await store.sessions.readSession(ref)).toMatchObject({
      version: 2,
      status: 'completed',
      output: { a: 1 },
    });
    expect(await store.sessions.readSession(child)).toMatchObject({ status: 'failed', records: 1 });
    expect(await store.sessions.readMessages(ref)).toHaveLength(3);
    expect((await store.sessions.readStep(ref))?.journal).toEqual([]);
  });

  it.each(Object.entries(missing))('writes nothing when the guard misses: %s', async (_, guard) => {
    const { database, store } = await seeded();
    const before = dump(database);
    expect(await store.sessions.commit(planOf({ ...wide, guard }))).toBe(false);
    expect(dump(database)).toEqual(before);
  });

  it('can take over an expired lease', async () => {
    const { store } = await seeded();
    const guard = session({ leaseExpired: true });
    expect(await store.sessions.commit(planOf({ guard, now: T0 + 1000 }))).toBe(true);
  });

  it.each([
    ['a message', { messages: [messageRow(2), messageRow(1)] }],
    ['a journal row', { journal: [startRow('a')] }],
    ['a call', { calls: [callRow('new'), callRow('open')] }],
    ['a reference', { references: [referenceRow(child.sessionId)] }],
    ['a session', { sessions: [sessionRow({ ...child })] }],
  ])('leaves nothing when the key of %s is taken', async (_, insert) => {
    const { database, store } = await seeded();
    const before = dump(database);
    expect(await store.sessions.commit(planOf({ insert }))).toBe(false);
    expect(dump(database)).toEqual(before);
  });

  it('is not applied twice', async () => {
    const { database, store } = await seeded();
    const plan = planOf({
      update: { calls: [{ key: callKey(callRow('open')), set: { state: 'settled' } }] },
    });
    expect(await store.sessions.commit(plan)).toBe(true);
    await store.sessions.commit(
      planOf({
        commitId: 'later',
        guard: {},
        update: { calls: [{ key: callKey(callRow('open')), set: { state: 'answered' } }] },
      }),
    );
    const between = dump(database);
    expect(await store.sessions.commit(plan)).toBe(false);
    expect(await store.sessions.commit({ ...plan, commitId: 'later' })).toBe(false);
    expect(dump(database)).toEqual(between);
  });

  it('skips a call that is not in the state `onlyIf` names', async () => {
    const { store } = await seeded();
    const set = { state: 'settled' } as const;
    const calls = ['open', 'said'].map((id) => ({
      key: callKey(callRow(id)),
      set,
      onlyIf: 'open' as const,
    }));
    expect(await store.sessions.commit(planOf({ update: { calls } }))).toBe(true);
    const rows = await store.sessions.readCalls('s1');
    expect(rows.map((row) => [row.toolCallId, row.state])).toEqual([
      ['open', 'settled'],
      ['said', 'answered'],
    ]);
  });

  it('changes the fields it names and can set them to null', async () => {
    const { store } = await seeded();
    const set = {
      leaseOwner: null,
      leaseUntil: null,
      customState: null,
      error: null,
      started: false,
    };
    await store.sessions.commit(planOf({ sessions: [{ sessionId: 's1', set }] }));
    expect(await store.sessions.readSession(ref)).toEqual(sessionRow(set));
  });

  it('removes messages after a sequence and no others', async () => {
    const { store } = await seeded();
    await store.sessions.commit(
      planOf({ insert: { messages: [2, 3, 4].map((n) => messageRow(n)) } }),
    );
    const remove = { messagesAfter: [{ sessionId: 's1', sequence: 2 }] };
    await store.sessions.commit(planOf({ guard: {}, remove }));
    expect((await store.sessions.readMessages(ref)).map((row) => row.sequence)).toEqual([1, 2]);
  });
});
