// If this fails: behind a pooler that loses prepared statements a commit is lost or made twice, or the store does not work at all.
import type { Logger } from '@helix-agents/core';
import { describeServer } from '@helix-agents/test-servers';
import { messageRow, planFor, seed, sessionRow, textChunk } from '@helix-agents/testing';
import type pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { openPostgres, type PgClient, type Postgres } from '../src/index.ts';
import { newPool, testPostgres } from './database.ts';
import { startTransactionPooler } from './transaction-pooler.ts';

const row = sessionRow();
const step = (version: number): ReturnType<typeof planFor> =>
  planFor({ ...row, version }, { insert: { messages: [messageRow(version)] } });

describeServer('postgres', () => {
  const postgres = testPostgres();

  it('statements are named by default over a pg Pool', async () => {
    const { pool, stores } = await openOne();
    await seed(stores.stateStore.sessions, { sessions: [row] });
    expect(await stores.stateStore.sessions.commit(step(1))).toBe(true);
    expect(await preparedOn(pool)).toBeGreaterThan(0);
  });

  it('statements are not named with prepared: false, nor over a client that has only query', async () => {
    const { pool } = await openOne();
    const bare: PgClient = { query: (text, values) => pool.query(text, values) };
    for (const stores of [openPostgres(pool, { prepared: false }), openPostgres(bare)])
      await stores.stateStore.sessions.readSession(row);
    expect(await preparedOn(pool)).toBe(0);
  });

  it('I2 I3 a commit whose statement was deallocated is made once, and the rest leaves unnamed after one warning', async () => {
    const { pool, stores, warnings } = await openOne();
    const { sessions } = stores.stateStore;
    await seed(sessions, { sessions: [row] });
    for (const version of [1, 2]) expect(await sessions.commit(step(version))).toBe(true);
    await pool.query('deallocate all');
    for (const version of [3, 4]) expect(await sessions.commit(step(version))).toBe(true);
    expect((await sessions.readSession(row))?.version).toBe(5);
    expect(await sessions.readMessages(row)).toHaveLength(4);
    expect(await preparedOn(pool)).toBe(0);
    expect(warnings).toEqual(['store.statement_names_lost 26000']);
  });

  it('I2 an error of the statement itself is not repeated', async () => {
    const { pool, stores, warnings } = await openOne();
    await seed(stores.stateStore.sessions, { sessions: [row] });
    await pool.query('create temporary table __agents_sessions (session_id text)');
    await expect(stores.stateStore.sessions.commit(step(1))).rejects.toMatchObject({
      code: '42703',
    });
    expect(warnings).toEqual([]);
  });

  it('I1 I2 I3 behind a transaction pooler no commit is lost or doubled, and each process warns once', async () => {
    await postgres.clear();
    const url = new URL(postgres.url);
    const pooler = await startTransactionPooler({ port: Number(url.port) }, 3);
    url.port = `${pooler.port}`;
    const pools = [newPool(url.href, 4), newPool(url.href, 4)];
    onTestFinished(async () => {
      await Promise.all(pools.map((pool) => pool.end()));
      await pooler.close();
    });
    const warnings: string[] = [];
    const processes = pools.map((pool) => openPostgres(pool, { logger: loggerTo(warnings) }));
    const ids = Array.from({ length: 12 }, (_, index) => `s${index}`);
    const [first] = processes as [Postgres];
    for (const sessionId of ids)
      await seed(first.stateStore.sessions, { sessions: [sessionRow({ sessionId })] });

    const wins = new Map<string, number[]>(ids.map((id) => [id, []]));
    const commitAll = async ({ stateStore, streamManager }: Postgres): Promise<void> => {
      for (let round = 0; round < 8; round += 1) {
        await Promise.all(
          ids.map(async (sessionId) => {
            const session = await stateStore.sessions.readSession({ rootId: sessionId, sessionId });
            if (!session) throw new Error(`${sessionId} is gone`);
            const insert = { messages: [messageRow(session.version, { sessionId })] };
            const won = await stateStore.sessions.commit(planFor(session, { insert }));
            if (won) wins.get(sessionId)?.push(session.version);
            await streamManager.append(sessionId, [{ chunk: textChunk('x') }]);
          }),
        );
      }
    };
    await Promise.all(processes.map(commitAll));

    const direct = openPostgres(postgres.pool);
    for (const sessionId of ids) {
      const ref = { rootId: sessionId, sessionId };
      const won = (wins.get(sessionId) ?? []).toSorted((a, b) => a - b);
      expect(won, 'each version is won once').toEqual(won.map((_, place) => place + 1));
      expect((await direct.stateStore.sessions.readSession(ref))?.version).toBe(won.length + 1);
      expect(await direct.stateStore.sessions.readMessages(ref)).toHaveLength(won.length);
      expect(await direct.streamManager.readChunks(sessionId)).toHaveLength(16);
    }
    expect(warnings).toHaveLength(2);
  });

  async function openOne(): Promise<{
    readonly pool: pg.Pool;
    readonly stores: Postgres;
    readonly warnings: readonly string[];
  }> {
    await postgres.clear();
    const pool = newPool(postgres.url, 1);
    onTestFinished(() => pool.end());
    const warnings: string[] = [];
    return { pool, stores: openPostgres(pool, { logger: loggerTo(warnings) }), warnings };
  }
});

async function preparedOn(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ count: string }>(
    `select count(*) from pg_prepared_statements where name like 'helix\\_%'`,
  );
  return Number(rows[0]?.count);
}

function loggerTo(warnings: string[]): Logger {
  const ignore = (): void => {};
  const warn: Logger['warn'] = (message, data) =>
    void warnings.push(`${message} ${String(Reflect.get(data ?? {}, 'code'))}`);
  return { info: ignore, error: ignore, debug: ignore, warn };
}
