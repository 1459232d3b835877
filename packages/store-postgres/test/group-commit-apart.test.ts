// If this fails: a plan in a group has another outcome than it would have had alone (src/group-commit/commit-groups.ts).
import { StoreUnavailableError } from '@helix-agents/core';
import type { CommitPlan } from '@helix-agents/core/store';
import { describeServer } from '@helix-agents/test-servers';
import { messageRow, planFor, seed, sessionRow, textChunk } from '@helix-agents/testing';
import { expect, it } from 'vitest';
import { createPgAdapter, PostgresStateStore, PostgresStreamManager } from '../src/index.ts';
import { newPool, testPostgres } from './database.ts';

const ids = Array.from({ length: 24 }, (_, index) => `s${String(index).padStart(2, '0')}`);

const step = (sessionId: string): CommitPlan =>
  planFor(sessionRow({ sessionId }), {
    insert: { messages: [messageRow(1, { sessionId })] },
  });

describeServer('postgres', () => {
  const postgres = testPostgres();

  it('I1 sessions are created together; of two processes that create the same one, one wins', async () => {
    await postgres.clear();
    const sent: string[] = [];
    const [one, other] = [store(sent), store(sent)];
    await one.sessions.readSession({ rootId: 'x', sessionId: 'x' });
    await other.sessions.readSession({ rootId: 'x', sessionId: 'x' });
    sent.length = 0;
    const create = (store: PostgresStateStore, sessionId: string): Promise<boolean> => {
      const row = sessionRow({ sessionId });
      return store.sessions.commit({
        ...planFor(row, {}),
        sessions: [],
        guard: { sessions: [{ sessionId, absent: true }] },
        insert: { sessions: [row], messages: [messageRow(1, { sessionId })] },
      });
    };
    const won = await Promise.all(
      [...ids, ...ids.toReversed()].map((id, place) => create(place < 24 ? one : other, id)),
    );
    expect(ids.map((_, place) => Number(won[place]) + Number(won[47 - place]))).toEqual(
      ids.map(() => 1),
    );
    expect(sent.length).toBeLessThanOrEqual(8);
    for (const sessionId of ids) {
      const kept = await one.sessions.readMessages({ rootId: sessionId, sessionId });
      expect(kept.length).toBe(1);
    }
  });

  it('I3 groups of two processes in opposite order do not deadlock', async () => {
    await postgres.clear();
    const [one, other] = [store(), store()];
    for (const sessionId of ids)
      await seed(one.sessions, { sessions: [sessionRow({ sessionId })] });
    const touch = (store: PostgresStateStore, sessionId: string): Promise<boolean> =>
      store.sessions.commit({
        ...planFor(sessionRow({ sessionId }), {}),
        guard: { sessions: [{ sessionId }] },
      });
    const before = await deadlocks();
    for (let round = 0; round < 25; round += 1) {
      const there = ids.map((id) => touch(one, id));
      const back = ids.toReversed().map((id) => touch(other, id));
      await Promise.all([...there, ...back]);
    }
    expect(await deadlocks()).toBe(before);
  });

  it('I6 a statement that waits for a locked row does not hold up other sessions', async () => {
    await postgres.clear();
    const { sessions } = store();
    for (const sessionId of ids) await seed(sessions, { sessions: [sessionRow({ sessionId })] });
    const holder = await postgres.pool.connect();
    await holder.query('begin');
    await holder.query(
      `select 1 from __agents_sessions where session_id in ('s00', 's01') for update`,
    );
    const stuck = [];
    for (const id of ids.slice(0, 2)) {
      stuck.push(sessions.commit(step(id)));
      // A statement for each.
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    }
    const others = await Promise.all(ids.slice(2).map((id) => sessions.commit(step(id))));
    expect(others).toEqual(others.map(() => true));
    await holder.query('commit');
    holder.release();
    expect(await Promise.all(stuck)).toEqual([true, true]);
  });

  it('I5 a lock timeout fails only the plan whose row is locked', async () => {
    await postgres.clear();
    const { sessions } = store();
    for (const sessionId of ids) await seed(sessions, { sessions: [sessionRow({ sessionId })] });
    const holder = await postgres.pool.connect();
    await holder.query('begin');
    await holder.query(`select 1 from __agents_sessions where session_id = 's03' for update`);
    const impatient = newPool(postgres.url, 8, { options: '-c lock_timeout=200' });
    try {
      const { sessions: late } = new PostgresStateStore(createPgAdapter(impatient));
      const ended = await Promise.allSettled(ids.map((id) => late.commit(step(id))));
      const failed = ended.flatMap((one, place) => (one.status === 'rejected' ? [place] : []));
      expect(failed).toEqual([3]);
      const [refused] = ended.filter((one) => one.status === 'rejected');
      expect(StoreUnavailableError.isInstance(refused?.reason)).toBe(true);
    } finally {
      await holder.query('rollback');
      holder.release();
      await impatient.end();
    }
  });

  it('I2 appends to one stream keep their order', async () => {
    await postgres.clear();
    const streams = new PostgresStreamManager(createPgAdapter(postgres.pool));
    const words = ['a', 'b', 'c', 'd', 'e', 'f'];
    const streamIds = Array.from({ length: 40 }, (_, index) => `order-${index}`);
    for (const id of streamIds) {
      await Promise.all(words.map((word) => streams.append(id, [{ chunk: textChunk(word) }])));
      const kept = await streams.readChunks(id);
      expect(kept.map(({ chunk }) => Reflect.get(chunk, 'delta'))).toEqual(words);
    }
  });

  it('I1 a commit that carries known chunks leaves them out', async () => {
    await postgres.clear();
    const adapter = createPgAdapter(postgres.pool);
    const streams = new PostgresStreamManager(adapter);
    const { sessions } = new PostgresStateStore(adapter);
    const few = ids.slice(0, 5);
    for (const sessionId of few) await seed(sessions, { sessions: [sessionRow({ sessionId })] });
    await streams.append('s02', [{ chunk: textChunk('a'), dedupeKey: 'a' }]);
    const saying = (sessionId: string): CommitPlan => ({
      ...step(sessionId),
      stream: {
        streamId: sessionId,
        agentId: sessionId,
        agentType: 'a',
        entries: ['a', 'b'].map((key) => ({ chunk: textChunk(key), dedupeKey: key })),
      },
    });
    const won = await Promise.all(few.map((id) => sessions.commit(saying(id))));
    expect(won).toEqual(few.map(() => true));
    for (const id of few) {
      const kept = await streams.readChunks(id);
      expect(kept.map(({ sequence, chunk }) => [sequence, Reflect.get(chunk, 'delta')])).toEqual([
        [1, 'a'],
        [2, 'b'],
      ]);
    }
  });

  async function deadlocks(): Promise<number> {
    const { rows } = await postgres.pool.query<{ deadlocks: string }>(
      `select deadlocks from pg_stat_database where datname = current_database()`,
    );
    return Number(rows[0]?.deadlocks);
  }

  function store(sent: string[] = []): PostgresStateStore {
    return new PostgresStateStore(
      createPgAdapter({
        query(text, values) {
          sent.push(text);
          return postgres.pool.query(text, values);
        },
      }),
    );
  }
});
