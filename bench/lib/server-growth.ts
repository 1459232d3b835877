import type { LLMAdapter } from '@helix-agents/core';
import { setTimeout as wait } from 'node:timers/promises';
import { benchAgent, steppingModel } from './agents.ts';
import { executorFor, freshId, runTurn } from './executors.ts';
import { median, round, sample, type BenchOptions, type Result } from './measure.ts';
import type { ServerPlace, ServerStores } from './server-place.ts';
import { seedSession } from './store-turn.ts';

/** Steps taken at a time by one session, while the other waits. */
const STEPS = 8;
const ROUNDS = 6;
/** The steps at which a transcript has 50 and 5,000 messages; the measured ones lie around them. */
const [SMALL, LARGE] = [25, 2_500];
const BEFORE = (STEPS * ROUNDS) / 2;
/** Until what was put off is written too. */
const SETTLE_MS = 200;

interface Cost {
  /** By the clock. */
  readonly ms: number;
  /** Computed here and in the server. */
  readonly cpuMs: number;
  readonly bytes: number;
}

/** Two sessions that take steps in turn: what a step costs where the transcript has about 50 and about 5,000 messages. */
export async function serverGrowth(place: ServerPlace, options: BenchOptions): Promise<Result[]> {
  const stores = place.open();
  options.progress(`${place.name}: growth to 5,000 messages`);
  const small = await startSession(stores, SMALL - BEFORE);
  const large = await startSession(stores, LARGE - BEFORE);
  // What the first step reads, the others know.
  await Promise.all([small.take(1), large.take(1)]);
  const pairs: { readonly small: Cost; readonly large: Cost }[] = [];
  for (let count = 1; count <= ROUNDS; count += 1) {
    options.progress(`${place.name}: growth, round ${count} of ${ROUNDS}`);
    const first = await costOf(place, small);
    pairs.push({ small: first, large: await costOf(place, large) });
  }
  await Promise.all([small.finish(), large.finish()]);
  stores.close();
  const row = (name: string, unit: string, pick: (cost: Cost) => number): Result => {
    const at = (size: 'small' | 'large'): string =>
      round(median(pairs.map((pair) => pick(pair[size]))));
    return {
      case: place.name,
      name: `step at 5,000 messages, ${name}`,
      value: median(pairs.map((pair) => pick(pair.large) / pick(pair.small))),
      unit: '× a step at 50 messages',
      target: { atMost: 1.1 },
      detail: `${at('small')} and ${at('large')} ${unit} per step`,
    };
  };
  return [
    row('time', 'ms', ({ ms }) => ms),
    row('CPU', 'ms of CPU time here and in the server', ({ cpuMs }) => cpuMs),
    row('bytes', "bytes in the server's log", ({ bytes }) => bytes),
  ];
}

async function costOf(place: ServerPlace, session: SteppedSession): Promise<Cost> {
  await wait(SETTLE_MS);
  const before = await place.bytesWritten();
  const { wallMs, cpuMs, serverMs } = await sample(() => session.take(STEPS), place.serverClock);
  await wait(SETTLE_MS);
  const bytes = (await place.bytesWritten()) - before;
  return { ms: wallMs / STEPS, cpuMs: (cpuMs + serverMs) / STEPS, bytes: bytes / STEPS };
}

interface SteppedSession {
  /** Lets the session take so many steps more; resolves when the last of them is committed. */
  take(steps: number): Promise<void>;
  /** Lets it end. */
  finish(): Promise<void>;
}

/** A session that took so many steps, and a second turn whose model waits until it is let on. */
async function startSession(stores: ServerStores, steps: number): Promise<SteppedSession> {
  const agent = benchAgent('server-growth', 'step');
  const sessionId = freshId();
  await seedSession(stores.stateStore.sessions, sessionId, agent.name, steps);
  const gate = { left: 0, open: (): void => {}, reached: (): void => {} };
  const stepping = steppingModel(steps + STEPS * ROUNDS + 2);
  const model: LLMAdapter = {
    async generateStep(input) {
      if (gate.left === 0) {
        const opened = new Promise<void>((resolve) => (gate.open = resolve));
        gate.reached();
        await opened;
      }
      gate.left -= 1;
      return stepping.generateStep(input);
    },
  };
  const take = (count: number): Promise<void> =>
    new Promise((resolve) => {
      gate.left += count;
      gate.reached = resolve;
      gate.open();
    });
  const turn = runTurn(executorFor(stores, model, agent), agent, sessionId);
  return {
    take: (count) => Promise.race([take(count), turn]),
    async finish() {
      void take(Infinity);
      await turn;
    },
  };
}
