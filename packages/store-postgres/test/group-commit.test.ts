// If this fails: commits that arrive together each make a round trip. What they write is checked for every store.
import { randomBytes } from 'node:crypto';
import type { CommitPlan } from '@helix-agents/core/store';
import { describeServer } from '@helix-agents/test-servers';
import { messageRow, planFor, seed, sessionRow, textChunk, usageRow } from '@helix-agents/testing';
import { expect, it } from 'vitest';
import { createPgAdapter, PostgresStateStore, PostgresStreamManager } from '../src/index.ts';
import { testPostgres } from './database.ts';

const ids = Array.from({ length: 24 }, (_, index) => `s${String(index).padStart(2, '0')}`);

const step = (sessionId: string): CommitPlan =>
  planFor(sessionRow({ sessionId }), {
    insert: { messages: [1, 2].map((n) => messageRow(n, { sessionId })) },
  });

describeServer('postgres', () => {
  const postgres = testPostgres();

  it('sends what arrives together in few statements', async () => {
    await postgres.clear();
    const sent: string[] = [];
    const { sessions } = storeThatSays(sent);
    for (const sessionId of ids) await seed(sessions, { sessions: [sessionRow({ sessionId })] });
    sent.length = 0;
    const won = await Promise.all(ids.map((id) => sessions.commit(step(id))));
    expect(won).toEqual(ids.map(() => true));
    expect(sent.length).toBeLessThan(6);
  });

  it('sends those of one turn of the event loop in one statement, many in two', async () => {
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

  it('applies the others when one misses, and when a key of one is taken', async () => {
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

  it('refuses what Postgres cannot hold, and nothing that leaves with it', async () => {
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

  it('sends no more at once than Postgres and a client can carry', async () => {
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

  it('writes what it was handed, whatever happens to that before it leaves', async () => {
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

  it('appends what is new on every stream when some say again what is known', async () => {
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

  function storeThatSays(sent: string[]): PostgresStateStore {
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
