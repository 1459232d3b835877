// If this fails: group commit breaks one of its invariants (src/group-commit/commit-groups.ts). What commits write is checked for every store.
import { randomBytes } from 'node:crypto';
import type { CommitPlan } from '@helix-agents/core/store';
import { describeServer } from '@helix-agents/test-servers';
import { messageRow, planFor, seed, sessionRow, textChunk, usageRow } from '@helix-agents/testing';
import { expect, it } from 'vitest';
import {
  createPgAdapter,
  PostgresStateStore,
  PostgresStreamManager,
  type PgAdapterOptions,
  type PgClient,
} from '../src/index.ts';
import { testPostgres } from './database.ts';

const ids = Array.from({ length: 24 }, (_, index) => `s${String(index).padStart(2, '0')}`);

const step = (sessionId: string): CommitPlan =>
  planFor(sessionRow({ sessionId }), {
    insert: { messages: [1, 2].map((n) => messageRow(n, { sessionId })) },
  });

describeServer('postgres', () => {
  const postgres = testPostgres();

  it('I6 commits of many sessions that arrive together leave in few statements', async () => {
    await postgres.clear();
    const sent: string[] = [];
    const { sessions } = storeThatSays(sent);
    for (const sessionId of ids) await seed(sessions, { sessions: [sessionRow({ sessionId })] });
    sent.length = 0;
    const won = await Promise.all(ids.map((id) => sessions.commit(step(id))));
    expect(won).toEqual(ids.map(() => true));
    expect(sent.length).toBeLessThan(6);
  });

  it('I6 commits of one turn of the event loop leave in one statement, many of them in two', async () => {
    await postgres.clear();
    const sent: string[] = [];
    const { sessions } = storeThatSays(sent);
    for (const sessionId of ids) await seed(sessions, { sessions: [sessionRow({ sessionId })] });
    sent.length = 0;
    await Promise.all(ids.slice(0, 7).map((id) => sessions.commit(step(id))));
    expect(sent.length).toBe(1);
    await Promise.all(ids.slice(7).map((id) => sessions.commit(step(id))));
    expect(sent.length).toBe(3);
  });

  it('with groupCommits: false each commit is a statement of its own', async () => {
    await postgres.clear();
    const sent: string[] = [];
    const { sessions } = storeThatSays(sent, { groupCommits: false });
    for (const sessionId of ids) await seed(sessions, { sessions: [sessionRow({ sessionId })] });
    sent.length = 0;
    const won = await Promise.all(ids.map((id) => sessions.commit(step(id))));
    expect(won).toEqual(ids.map(() => true));
    expect(sent.length).toBe(ids.length);
  });

  it('I2 a plan about several sessions, or of a rare kind, leaves alone', async () => {
    await postgres.clear();
    const sent: string[] = [];
    const { sessions } = storeThatSays(sent);
    for (const sessionId of ids) await seed(sessions, { sessions: [sessionRow({ sessionId })] });
    sent.length = 0;
    const [first = '', second = '', third = '', fourth = ''] = ids;
    const both = [first, second].map(
      (sessionId) => ({ sessionId, raise: { version: true } }) as const,
    );
    const plans = [
      { ...step(first), sessions: both },
      { ...step(third), kind: 'edit' } as const,
      { ...step(fourth), kind: 'lease' } as const,
    ];
    expect(await Promise.all(plans.map((plan) => sessions.commit(plan)))).toEqual(
      plans.map(() => true),
    );
    expect(sent.length).toBe(plans.length);
  });

  it('I1 I5 a plan that misses, or whose key is taken, does not refuse the others of its group', async () => {
    await postgres.clear();
    const { sessions } = storeThatSays([]);
    for (const sessionId of ids) await seed(sessions, { sessions: [sessionRow({ sessionId })] });
    const taken = 's07';
    await seed(sessions, {
      sessions: [sessionRow({ sessionId: 'other' })],
      messages: [messageRow(2, { sessionId: taken })],
    });
    const late = 's11';
    await sessions.commit(planFor(sessionRow({ sessionId: late }), {}));
    const won = await Promise.all(ids.map((id) => sessions.commit(step(id))));
    expect(won).toEqual(ids.map((id) => id !== taken && id !== late));
    const counts = ids.map(async (sessionId) => {
      const messages = await sessions.readMessages({ rootId: sessionId, sessionId });
      return [sessionId, messages.length];
    });
    expect(await Promise.all(counts)).toEqual(
      ids.map((id) => [id, id === taken ? 1 : id === late ? 0 : 2]),
    );
  });

  it('I5 a row that Postgres cannot hold fails its own plan and no other of the group', async () => {
    await postgres.clear();
    const { sessions } = storeThatSays([]);
    for (const sessionId of ids) await seed(sessions, { sessions: [sessionRow({ sessionId })] });
    const overlong = randomBytes(5_000).toString('hex');
    const bad = 's07';
    const commits = ids.map((sessionId) => {
      const id = sessionId === bad ? overlong : sessionId;
      const usage = [usageRow(id, { sessionId, rootId: sessionId })];
      return sessions.commit(planFor(sessionRow({ sessionId }), { insert: { usage } }));
    });
    const ended = await Promise.allSettled(commits);
    expect(ended.map((one) => one.status === 'fulfilled' && one.value)).toEqual(
      ids.map((id) => id !== bad),
    );
    const streams = new PostgresStreamManager(createPgAdapter(postgres.pool));
    const appends = [overlong, ...ids].map((id) => streams.append(id, [{ chunk: textChunk('x') }]));
    const said = await Promise.allSettled(appends);
    expect(said.map(({ status }) => status)).toEqual(['rejected', ...ids.map(() => 'fulfilled')]);
  });

  it('I7 the size of a statement is bounded', async () => {
    await postgres.clear();
    const sizes: number[] = [];
    const large = ids.slice(0, 7);
    const adapter = createPgAdapter({
      query(text, values) {
        sizes.push(values.reduce<number>((sum, value) => sum + String(value).length, 0));
        return postgres.pool.query(text, values);
      },
    });
    const { sessions } = new PostgresStateStore(adapter);
    for (const sessionId of large) await seed(sessions, { sessions: [sessionRow({ sessionId })] });
    const content = 'x'.repeat(3_000_000);
    const commits = large.map((sessionId) => {
      const message = messageRow(1, { sessionId, message: { role: 'user', content } });
      const row = sessionRow({ sessionId });
      return sessions.commit(planFor(row, { insert: { messages: [message] } }));
    });
    expect(await Promise.all(commits)).toEqual(large.map(() => true));
    const streams = new PostgresStreamManager(adapter);
    await Promise.all(large.map((id) => streams.append(id, [{ chunk: textChunk(content) }])));
    expect(Math.max(...sizes)).toBeLessThan(9_000_000);
  });

  it('I4 a plan is written as it was handed in, also when the caller changes it before it leaves', async () => {
    await postgres.clear();
    const { sessions } = storeThatSays([]);
    await seed(sessions, { sessions: [sessionRow({ sessionId: 's1' })] });
    const row = messageRow(1, { sessionId: 's1' });
    const message = { ...row.message };
    const plan = planFor(sessionRow({ sessionId: 's1' }), {
      insert: { messages: [{ ...row, message }] },
    });
    const committing = sessions.commit(plan);
    Object.assign(message, { content: 'changed' });
    expect(await committing).toBe(true);
    const [kept] = await sessions.readMessages({ rootId: 's1', sessionId: 's1' });
    expect(kept?.message).toEqual(row.message);
  });

  it('I1 appends that share a statement leave out known dedupe keys, each on its own stream', async () => {
    await postgres.clear();
    const streams = new PostgresStreamManager(createPgAdapter(postgres.pool));
    const said = (streamId: string, ...keys: string[]): Promise<number> =>
      streams.append(
        streamId,
        keys.map((dedupeKey) => ({ chunk: textChunk(dedupeKey), dedupeKey })),
      );
    await said('s03', 'b');
    await said('s05', 'a', 'b', 'c');
    const heads = await Promise.all(ids.map((id) => said(id, 'a', 'b', 'c', 'b')));
    expect(heads).toEqual(ids.map(() => 3));
    const kept = await Promise.all(ids.map((id) => streams.readChunks(id)));
    const orders = kept.map((chunks) => chunks.map(({ chunk }) => Reflect.get(chunk, 'delta')));
    expect(kept.flat().map(({ sequence }) => sequence)).toEqual(ids.flatMap(() => [1, 2, 3]));
    expect(orders).toEqual(ids.map((id) => (id === 's03' ? ['b', 'a', 'c'] : ['a', 'b', 'c'])));
  });

  function storeThatSays(sent: string[], options: PgAdapterOptions = {}): PostgresStateStore {
    const client: PgClient = {
      query(text, values) {
        sent.push(text);
        return postgres.pool.query(text, values);
      },
    };
    return new PostgresStateStore(createPgAdapter(client, options));
  }
});
