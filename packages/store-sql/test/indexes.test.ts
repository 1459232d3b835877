// If this fails: the cost of a read or write of one session grows with the number of sessions.
import { rootRef } from '@helix-agents/core/store';
import { callRow, messageRow, sessionRow } from '@helix-agents/testing';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import {
  createSqlSessionStore,
  createSqlStreamStore,
  createSqlUsageStore,
  runMigrations,
  sqliteDialect,
  type SqlDriver,
  type Statement,
} from '../src/index.ts';

/** Read in their order up to a limit, or holding nothing but what is due. */
const LISTINGS = [
  '__agents_sessions_by_update',
  '__agents_open_calls_inbox',
  '__agents_sub_session_refs_closing',
  '__agents_sessions_unreported',
];

it('every SQL statement finds its rows by an index', async () => {
  const database = new DatabaseSync(':memory:');
  const seen = new Map<string, Statement>();
  await runMigrations(recording(database, new Map()));
  const driver = recording(database, seen);
  await useEverything(driver);
  const scans = [...seen.values()].flatMap(({ sql, params }) =>
    database
      .prepare(`explain query plan ${sql}`)
      .all(...params)
      .map((row) => String(row['detail']))
      .filter((detail) => /^SCAN (?!CONSTANT|.subquery|(e|doomed|d|below|b|late)\b)/.test(detail))
      .filter((detail) => !detail.includes('VIRTUAL TABLE'))
      .filter((detail) => !LISTINGS.some((index) => detail.includes(index)))
      .map((detail) => `${detail}: ${sql}`),
  );
  expect(scans).toEqual([]);
});

async function useEverything(driver: SqlDriver): Promise<void> {
  const store = createSqlSessionStore(driver);
  const ref = { rootId: 's1', sessionId: 's1' };
  const base = { kind: 'edit' as const, rootId: 's1', commitId: 'c', now: 1 };
  const sessions = [
    sessionRow({ sessionId: 's1' }),
    sessionRow({ sessionId: 's2' }),
    sessionRow({ sessionId: 's3' }),
  ];
  await store.commit({ ...base, guard: {}, insert: { sessions } });
  for (const some of [1, 2]) {
    const keys = ['x', 'y'].slice(0, some);
    const ids = ['s2', 's3'].slice(0, some);
    const calls = keys.map((key) => callRow(`${key}-${some}`));
    await store.commit({
      ...base,
      guard: {
        sessions: [{ sessionId: 's1', status: ['running'] }],
        journalAbsent: [{ sessionId: 's1', stepId: 1, index: 0, kind: 'plan' }],
      },
      sessions: [{ sessionId: 's1' }, ...ids.map((sessionId) => ({ sessionId }))],
      insert: { messages: keys.map((_, index) => messageRow(some * 10 + index)), calls },
      update: {
        calls: keys.map((toolCallId) => ({ key: { rootId: 's1', toolCallId, part: '' }, set: {} })),
        references: keys.map((subSessionId) => ({ sessionId: 's1', subSessionId, set: {} })),
        runs: keys.map((runId) => ({ runId, set: {} })),
        inputs: keys.map((inputId) => ({ sessionId: 's1', inputId, set: {} })),
      },
      remove: {
        journal: [{ sessionId: 's1', stepId: 1 }],
        interrupts: [{ sessionId: 's1', runId: 'r' }],
        messagesAfter: [{ sessionId: 's1', sequence: 99 }],
      },
    });
  }
  await store.readSession(ref);
  await store.readStep(ref);
  await store.readMessages(ref);
  await store.readCalls('s1');
  await store.readCalls('s1', { toolCallId: 'x', part: '' });
  await store.readReferences(ref);
  await store.readRuns(ref);
  await store.readCheckpoints(ref);
  const key = { rootId: 's1', toolCallId: 'x', part: '' };
  const answer = { kind: 'none' } as const;
  await store.answerCall({ key, outcome: 'cancelled', answer, answeredBy: null, now: 1 });
  await store.expireCalls(rootRef('s1'), 1);
  await store.takeReminders(rootRef('s1'), 1);
  await store.purgeCalls(rootRef('s1'), 1);
  await store.requestInterrupt(ref, null, 1);
  const said = { ...ref, inputId: 'm:1', sender: null, content: 'hi', now: 1 };
  await store.putInput(said);
  await store.putInput({ ...said, person: { messageId: '1' } });
  await store.putInput({ ...said, inputId: 'm:2', person: { messageId: '2', userId: 'u' } });
  await store.putNotice({ ...ref, inputId: 'n:x#1', childId: 'x', end: 1, content: null, now: 1 });
  await store.report(ref, 1);
  await store.readInputs(ref);
  await store.readInputs(ref, { inputId: 'm:1' });
  await store.purgeInputs(ref, 1);
  await store.renewLease({ ...ref, epoch: 1, owner: 'o', extendMs: 5, now: 1 });
  await store.findDue({ now: 1, hostKind: 'js', limit: 5 });
  await store.findRoot('s1');
  await store.listSessions({ userId: 'u' });
  await store.listSessions({ tags: ['a'], metadata: { a: 1 }, status: ['failed'] });
  await store.listOpenCalls({ userId: 'u' });
  await store.listOpenCalls({ rootSessionId: 's1' });
  await store.listOpenCalls({ agentType: 'a' });
  await store.listOpenCalls({ dueBefore: 1 });
  await store.listOpenCalls();
  await useStreamsAndUsage(driver);
  await store.deleteSession(ref);
}

async function useStreamsAndUsage(driver: SqlDriver): Promise<void> {
  const streams = createSqlStreamStore(driver);
  const chunk = {
    type: 'output',
    output: 1,
    agentId: 'a',
    agentType: 'a',
    timestamp: 1,
    step: 1,
  } as const;
  await streams.append('s1', [{ chunk, dedupeKey: 'a' }]);
  await streams.append('s1', [{ chunk, dedupeKey: 'b' }, { chunk }]);
  await streams.readChunks('s1');
  await streams.cleanupToStep('s1', 0);
  await streams.resetStream('s1');
  await streams.pauseStream('s1');
  await streams.reactivateStream('s1');
  await streams.endStream('s1');
  await streams.failStream('s2', 'x');
  const usage = createSqlUsageStore(driver);
  await usage.getEntries('s1', { kinds: ['tool'] });
  await usage.getRollup('s1');
}

function recording(database: DatabaseSync, seen: Map<string, Statement>): SqlDriver {
  const run = (statement: Statement): { changes: number; rows: Record<string, unknown>[] } => {
    seen.set(statement.sql, statement);
    const prepared = database.prepare(statement.sql);
    if (prepared.columns().length > 0)
      return { changes: 0, rows: prepared.all(...statement.params) };
    return { changes: Number(prepared.run(...statement.params).changes), rows: [] };
  };
  return {
    dialect: sqliteDialect,
    canStop: false,
    batch: async (statements) => statements.map(run),
    readBatch: async (statements) => statements.map((statement) => run(statement).rows),
    all: async (statement) => run(statement).rows,
    isUniqueViolation: () => false,
  };
}
