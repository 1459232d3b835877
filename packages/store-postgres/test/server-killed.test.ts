// SIGKILL of the server under load. If this fails, what a client was told is stored is gone after a restart.
import { setTimeout as wait } from 'node:timers/promises';
import { createPostgresDatabase, describeServer, startPostgres } from '@helix-agents/test-servers';
import {
  callRow,
  keyOf,
  messageRow,
  planFor,
  seed,
  sessionRow,
  T0,
  textChunk,
} from '@helix-agents/testing';
import { expect, it, onTestFinished } from 'vitest';
import { openPostgres, type Postgres } from '../src/index.ts';
import { newPool } from './new-pool.ts';

const WRITERS = 8;
const KILLS = 3;

interface Told {
  version: number;
  answers: number;
  head: number;
}

describeServer('postgres', () => {
  it('loses nothing it acknowledged', { timeout: 60_000 }, async () => {
    const server = await startPostgres({ fsync: true });
    onTestFinished(() => server.stop());
    const { url } = await createPostgresDatabase(server.url);
    const pool = newPool(url);
    onTestFinished(() => pool.end());
    const postgres = openPostgres(pool);
    const told = Array.from({ length: WRITERS }, () => ({ version: 1, answers: 0, head: 0 }));
    const state = { over: false };
    const work = told.map((own, index) => write(postgres, `s${index}`, own, state));
    const slowest = (): number => Math.min(...told.map(({ version }) => version));
    for (let kill = 0; kill < KILLS; kill += 1) {
      const before = slowest();
      while (slowest() < before + 5) await wait(5);
      await server.kill();
      await server.restart();
    }
    state.over = true;
    await Promise.all(work);

    const { sessions } = postgres.stateStore;
    for (const [index, own] of told.entries()) {
      const ref = { rootId: `s${index}`, sessionId: `s${index}` };
      const version = (await sessions.readSession(ref))?.version ?? 0;
      expect(version).toBeGreaterThanOrEqual(own.version);
      expect(version, 'at most one per kill was not heard of').toBeLessThanOrEqual(
        own.version + KILLS,
      );
      expect(await sessions.readMessages(ref)).toHaveLength(version - 1);
      const calls = await sessions.readCalls(ref.sessionId);
      const answered = calls.filter((call) => call.state === 'answered').length;
      expect(answered).toBeGreaterThanOrEqual(own.answers);
      const log = await postgres.streamManager.readChunks(ref.sessionId);
      expect(log.length).toBeGreaterThanOrEqual(own.head);
      expect(log.map(({ sequence }) => sequence)).toEqual(log.map((_, place) => place + 1));
    }
  });
});

/** Commits, answers and appends, and keeps count of what it was told; what it was not told it looks up. */
async function write(
  { stateStore: { sessions }, streamManager }: Postgres,
  sessionId: string,
  told: Told,
  state: { over: boolean },
): Promise<void> {
  const session = sessionRow({ sessionId });
  await seed(sessions, { sessions: [session] });
  let version = 1;
  while (!state.over) {
    const call = callRow(`call-${version}`, { rootId: sessionId });
    const messages = [messageRow(version, { sessionId })];
    try {
      const plan = planFor({ ...session, version }, { insert: { messages, calls: [call] } });
      expect(await sessions.commit(plan), 'nobody else writes here').toBe(true);
      version += 1;
      told.version = version;
      const answer = { kind: 'result', value: version } as const;
      const input = { outcome: 'answered', answer, answeredBy: null, now: T0 } as const;
      expect(await sessions.answerCall({ key: keyOf(call), ...input })).toMatchObject({
        taken: true,
      });
      told.answers += 1;
      told.head = await streamManager.append(sessionId, [{ chunk: textChunk(`${version}`) }]);
    } catch (error) {
      expect(error).toMatchObject({ code: 'store_unavailable' });
      const found = await untilBack(() => sessions.readSession(session));
      expect(found?.version).toBeGreaterThanOrEqual(version);
      version = found!.version;
    }
  }
}

async function untilBack<T>(read: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await read();
    } catch (error) {
      if (tries >= 500) throw error;
      await wait(20);
    }
  }
}
