// If this fails: commits that leave together are not what they would be alone.
import type { CommitPlan, SessionStore } from '@helix-agents/core';
import { describeServer } from '@helix-agents/test-servers';
import {
  checkpointRow,
  messageRow,
  planFor,
  runRow,
  seed,
  sessionRow,
  startRow,
  usageRow,
} from '@helix-agents/testing';
import { expect, it } from 'vitest';
import { createPgAdapter, PostgresStateStore } from '../src/index.ts';
import { testPostgres } from './database.ts';

const ids = Array.from({ length: 24 }, (_, index) => `s${String(index).padStart(2, '0')}`);

describeServer('postgres', () => {
  const postgres = testPostgres();

  /** A store that says which statements it sent. */
  const open = async (): Promise<{ sessions: SessionStore; sent: string[] }> => {
    await postgres.clear();
    const sent: string[] = [];
    const { sessions } = new PostgresStateStore(
      createPgAdapter({
        query(text, values) {
          sent.push(text);
          return postgres.pool.query(text, values);
        },
      }),
    );
    for (const sessionId of ids) {
      await seed(sessions, {
        sessions: [sessionRow({ sessionId })],
        runs: [runRow(`r-${sessionId}`, { sessionId })],
      });
    }
    sent.length = 0;
    return { sessions, sent };
  };
  const step = (sessionId: string, parts: Partial<CommitPlan> = {}): CommitPlan =>
    planFor(sessionRow({ sessionId }), {
      guard: {
        sessions: [{ sessionId, version: 1, epoch: 1, records: 0, status: ['running'] }],
        interruptsAbsent: [{ sessionId, runId: sessionRow({ sessionId }).runId }],
      },
      insert: {
        messages: [1, 2].map((n) => messageRow(n, { sessionId })),
        journal: [startRow('a', { sessionId, stepId: 7 })],
        checkpoints: [checkpointRow(2, { sessionId })],
        usage: [usageRow(`u-${sessionId}`, { sessionId })],
      },
      update: { runs: [{ runId: `r-${sessionId}`, set: { stepCount: 5 } }] },
      ...parts,
    });
  const ref = (sessionId: string): { rootId: string; sessionId: string } => ({
    rootId: sessionId,
    sessionId,
  });

  it('sends what arrives together in few statements, and all of it is there', async () => {
    const { sessions, sent } = await open();
    const won = await Promise.all(ids.map((id) => sessions.commit(step(id))));
    expect(won).toEqual(ids.map(() => true));
    expect(sent.length).toBeLessThan(6);
    for (const id of ids) {
      expect(await sessions.readSession(ref(id))).toMatchObject({ version: 2 });
      expect(await sessions.readMessages(ref(id))).toHaveLength(2);
      expect(await sessions.readCheckpoints(ref(id))).toHaveLength(1);
      expect(await sessions.readRuns(ref(id))).toMatchObject([{ stepCount: 5 }]);
    }
  });

  it('applies each plan for itself: one that misses leaves nothing, and keeps no other back', async () => {
    const { sessions } = await open();
    const late = new Set(ids.filter((_, index) => index % 5 === 3));
    for (const id of late) await sessions.commit(step(id, { insert: {}, update: {} }));
    const won = await Promise.all(ids.map((id) => sessions.commit(step(id))));
    expect(won).toEqual(ids.map((id) => !late.has(id)));
    for (const id of ids) {
      expect(await sessions.readMessages(ref(id))).toHaveLength(late.has(id) ? 0 : 2);
      expect((await sessions.readSession(ref(id)))?.version).toBe(2);
    }
  });

  it('takes a key that is taken as the miss of its own plan', async () => {
    const { sessions } = await open();
    const clashing = new Set(['s05', 's17']);
    for (const id of clashing) {
      const insert = { messages: [messageRow(1, { sessionId: id })] };
      await sessions.commit(
        planFor(sessionRow({ sessionId: id }), { sessions: [{ sessionId: id }], insert }),
      );
    }
    const won = await Promise.all(ids.map((id) => sessions.commit(step(id))));
    expect(won).toEqual(ids.map((id) => !clashing.has(id)));
    for (const id of ids) {
      expect(await sessions.readCheckpoints(ref(id))).toHaveLength(clashing.has(id) ? 0 : 1);
    }
  });

  it('keeps back what was interrupted, and goes on with the others', async () => {
    const { sessions } = await open();
    await sessions.requestInterrupt(ref('s03'), 'stop', 1);
    const won = await Promise.all(ids.map((id) => sessions.commit(step(id))));
    expect(won).toEqual(ids.map((id) => id !== 's03'));
  });

  it('gives one session to one of many that commit on it at once, others beside them', async () => {
    const { sessions } = await open();
    const plans = ids.flatMap((id) => [step(id), step(id), step(id)]);
    const won = await Promise.all(plans.map((plan) => sessions.commit(plan)));
    expect(won.filter(Boolean)).toHaveLength(ids.length);
    for (const id of ids) expect((await sessions.readSession(ref(id)))?.version).toBe(2);
  });
});
