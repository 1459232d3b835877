// If this fails: commits that arrive together each make a round trip. What they write is checked for every store.
import type { CommitPlan } from '@helix-agents/core';
import { describeServer } from '@helix-agents/test-servers';
import { messageRow, planFor, seed, sessionRow } from '@helix-agents/testing';
import { expect, it } from 'vitest';
import { createPgAdapter, PostgresStateStore } from '../src/index.ts';
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
    const { sessions } = new PostgresStateStore(
      createPgAdapter({
        query(text, values) {
          sent.push(text);
          return postgres.pool.query(text, values);
        },
      }),
    );
    for (const sessionId of ids) await seed(sessions, { sessions: [sessionRow({ sessionId })] });
    sent.length = 0;
    const won = await Promise.all(ids.map((id) => sessions.commit(step(id))));
    expect(won).toEqual(ids.map(() => true));
    expect(sent.length).toBeLessThan(6);
  });
});
