// SIGKILL of the server under load. If this fails, an acknowledged write is gone after a restart.
import { setTimeout as wait } from 'node:timers/promises';
import { HelixError, type StateStore } from '@helix-agents/core';
import { callKey, type FullStreamManager } from '@helix-agents/core/store';
import { expect, it, onTestFinished } from 'vitest';
import { planFor, seed } from './plans.ts';
import { callRow, messageRow, sessionRow, T0 } from './rows.ts';
import { textChunk } from '../stream/chunks.ts';

const WRITERS = 8;
const KILLS = 3;
const timeout = 300_000;

/** Stores over a server of their own. */
export interface MortalServer {
  readonly stateStore: StateStore;
  readonly streamManager: FullStreamManager;
  /** SIGKILL; its data stays. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  close(): Promise<void>;
}

export interface TestServerKilledOptions {
  readonly name: string;
  /** A new server that waits for the disk, without rows. */
  readonly start: () => Promise<MortalServer>;
}

/** What one writer knows: the replies it got, and how often it got none. */
interface Told {
  version: number;
  answers: number;
  head: number;
  unknown: number;
}

/** Registers a test: commits, answers and chunks that were acknowledged are there after the server was killed. */
export function testServerKilled({ name, start }: TestServerKilledOptions): void {
  it(`${name}: a server that is killed loses nothing it acknowledged`, { timeout }, async () => {
    const server = await start();
    onTestFinished(() => server.close());
    const told = Array.from({ length: WRITERS }, () => ({
      version: 1,
      answers: 0,
      head: 0,
      unknown: 0,
    }));
    const state = { over: false };
    const work = told.map((own, index) => write(server, `s${index}`, own, state));
    const slowest = (): number => Math.min(...told.map(({ version }) => version));
    for (let kill = 0; kill < KILLS; kill += 1) {
      const enough = slowest() + 5;
      while (slowest() < enough) await Promise.race([wait(5), Promise.all(work)]);
      await server.kill();
      await server.restart();
    }
    state.over = true;
    await Promise.all(work);
    for (const [index, own] of told.entries()) await check(server, `s${index}`, own);
  });
}

/** Commits, answers and appends, and counts what was acknowledged; where the reply is missing it reads the store. */
async function write(
  { stateStore: { sessions }, streamManager }: MortalServer,
  sessionId: string,
  told: Told,
  state: { readonly over: boolean },
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
      const result = await sessions.answerCall({ key: callKey(call), ...input });
      expect(result).toMatchObject({ taken: true });
      told.answers += 1;
      told.head = await streamManager.append(sessionId, [{ chunk: textChunk(`${version}`) }]);
    } catch (error) {
      if (!HelixError.isInstance(error) || !error.retryable) throw error;
      told.unknown += 1;
      const found = await untilBack(() => sessions.readSession(session));
      expect(found?.version).toBeGreaterThanOrEqual(version);
      version = found?.version ?? version;
    }
  }
}

async function check(
  { stateStore: { sessions }, streamManager }: MortalServer,
  sessionId: string,
  told: Told,
): Promise<void> {
  const ref = { rootId: sessionId, sessionId };
  const between = (found: number, heard: number): void => {
    expect(found).toBeGreaterThanOrEqual(heard);
    expect(found, 'no more than it did not hear of').toBeLessThanOrEqual(heard + told.unknown);
  };
  const version = (await sessions.readSession(ref))?.version ?? 0;
  between(version, told.version);
  expect(await sessions.readMessages(ref)).toHaveLength(version - 1);
  const calls = await sessions.readCalls(sessionId);
  between(calls.filter((call) => call.state === 'answered').length, told.answers);
  const log = await streamManager.readChunks(sessionId);
  between(log.length, told.head);
  expect(log.map(({ sequence }) => sequence)).toEqual(log.map((_, place) => place + 1));
}

async function untilBack<T>(read: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await read();
    } catch (error) {
      if (tries >= 3_000) throw error;
      await wait(20);
    }
  }
}
