import { setTimeout as delay } from 'node:timers/promises';
import { AgentClient } from '@helix-agents/agent-server/client';
import { benchAgent, callId } from '../lib/agents.ts';
import { executorFor, freshId } from '../lib/executors.ts';
import { median, percentile, round, type BenchCase, type Result } from '../lib/measure.ts';
import {
  SERVED_AGENT,
  startServerProcess,
  streamingModel,
  type ServerProcess,
} from '../lib/server-process.ts';
import { sqliteStores } from '../lib/stores.ts';

/** Over real HTTP, the server in a process of its own on SQLite that does not wait for the disk. */
export const server: BenchCase = {
  name: 'server',
  async run({ quick, progress }) {
    const started = await startServerProcess();
    const client = new AgentClient({ baseUrl: started.url, token: 'bench' });
    const served: Served = { ...started, client };
    const results: Result[] = [];
    const cases: Record<string, (served: Served, quick: boolean) => Promise<Result[]>> = {
      'first chunk': firstChunk,
      submits: submits,
      reattach: reattach,
      'many readers': manyReaders,
      'many sessions': manySessions,
    };
    try {
      for (const [name, run] of Object.entries(cases)) {
        progress(`server: ${name}`);
        results.push(...(await run(served, quick)));
      }
    } finally {
      started.stop();
    }
    return results;
  },
};

interface Served extends ServerProcess {
  readonly client: AgentClient;
}

/** From asking to the first word, through start and stream, over the same in process. */
async function firstChunk({ client }: Served, quick: boolean): Promise<Result[]> {
  const rounds = quick ? 20 : 60;
  const stores = sqliteStores('normal');
  const agent = benchAgent('raw');
  const executor = executorFor(stores, streamingModel, agent);
  const times = { http: [] as number[], raw: [] as number[] };
  for (let turn = 0; turn < rounds + 5; turn += 1) {
    const http = await timed(async () => {
      const { sessionId } = await client.start({ agentType: SERVED_AGENT, message: 'stream 1 0' });
      await firstWord(
        client.stream(sessionId),
        (event) => event.type === 'chunk' && event.chunk.type === 'text_delta',
      );
    });
    const raw = await timed(async () => {
      const handle = await executor.execute(agent, 'stream 1 0', { sessionId: freshId() });
      await firstWord((await handle.stream()) ?? nothing(), (chunk) => chunk.type === 'text_delta');
    });
    if (turn < 5) continue;
    times.http.push(http);
    times.raw.push(raw);
  }
  stores.close();
  return [
    {
      case: 'server',
      name: 'first chunk',
      value: median(times.http) - median(times.raw),
      unit: 'ms more than in process',
      target: { atMost: 10 },
      detail: `${round(median(times.http))} / ${round(median(times.raw))} ms, p99 ${round(percentile(times.http, 0.99))} ms`,
    },
  ];
}

const SUBMITS_PER_SECOND = 200;

/** Answers at a fixed rate, each to a session of its own. */
async function submits({ client, measure, effort }: Served, quick: boolean): Promise<Result[]> {
  const count = SUBMITS_PER_SECOND * (quick ? 2 : 5);
  const sessions = await inBatches(count, async () => {
    const { sessionId } = await client.start({ agentType: SERVED_AGENT, message: 'ask' });
    await drain(client.stream(sessionId));
    return sessionId;
  });
  await measure();
  const began = performance.now();
  const times = await Promise.all(
    sessions.map(async (sessionId, index) => {
      await delay(Math.max(0, (index * 1000) / SUBMITS_PER_SECOND - (performance.now() - began)));
      return timed(async () => {
        const result = { yes: true };
        const toolCallId = callId(0);
        const { status } = await client.submit({
          kind: 'client-tool-result',
          sessionId,
          toolCallId,
          result,
        });
        if (status !== 'accepted') throw new Error(status);
      });
    }),
  );
  return [
    {
      case: 'server',
      name: `submit at ${SUBMITS_PER_SECOND}/s`,
      value: percentile(times, 0.99),
      unit: 'ms p99',
      target: { atMost: 50 },
      detail: `p50 ${round(median(times))} ms; ${round((await effort()).cpu / count)} ms CPU each`,
    },
  ];
}

const LONG = 10_000;

/** A reader that comes back near the end of a long stream. */
async function reattach({ client, fill }: Served): Promise<Result[]> {
  const message = 'stream 1 0';
  const { sessionId } = await client.start({ agentType: SERVED_AGENT, message });
  await drain(client.stream(sessionId));
  await fill(sessionId, LONG);
  const first = async (after: number): Promise<number> => {
    const times: number[] = [];
    for (let turn = 0; turn < 30; turn += 1) {
      const events = client.stream(sessionId, { after });
      times.push(await timed(async () => void (await events.next())));
      await events.return(undefined);
    }
    return median(times);
  };
  const [near, start] = [await first(LONG - 10), await first(0)];
  return [
    {
      case: 'server',
      name: `reattach in ${LONG.toLocaleString('en-US')} chunks`,
      value: near,
      unit: 'ms to the first byte',
      target: { atMost: 50 },
      detail: `${round(start)} ms from the beginning`,
    },
  ];
}

/** Everybody watches one session; how late is a word, from its chunk's time stamp. */
async function manyReaders(served: Served, quick: boolean): Promise<Result[]> {
  const readers = quick ? 50 : 300;
  return watch(
    served,
    { readers, sessions: 1, seconds: quick ? 2 : 5, everyMs: 100 },
    `${readers} readers of one stream`,
  );
}

/** Everybody has a session of its own. */
async function manySessions(served: Served, quick: boolean): Promise<Result[]> {
  const sessions = quick ? 40 : 200;
  return watch(
    served,
    { readers: 1, sessions, seconds: quick ? 2 : 5, everyMs: 20 },
    `${sessions} streams at 50 chunks/s`,
  );
}

async function watch(
  { client, measure, effort }: Served,
  load: { readers: number; sessions: number; seconds: number; everyMs: number },
  name: string,
): Promise<Result[]> {
  const words = Math.round((load.seconds * 1000) / load.everyMs);
  await measure();
  const late: number[] = [];
  let chunks = 0;
  await Promise.all(
    Array.from({ length: load.sessions }, async () => {
      const message = `stream ${words} ${load.everyMs}`;
      const { sessionId } = await client.start({ agentType: SERVED_AGENT, message });
      await Promise.all(
        Array.from({ length: load.readers }, async () => {
          for await (const event of client.stream(sessionId)) {
            if (event.type !== 'chunk') continue;
            chunks += 1;
            if (event.chunk.type === 'text_delta') late.push(Date.now() - event.chunk.timestamp);
          }
        }),
      );
    }),
  );
  const { lagP99, lagMax, cpu } = await effort();
  return [
    {
      case: 'server',
      name: `${name}, event loop`,
      value: lagP99,
      unit: 'ms lag p99',
      target: { atMost: 100 },
      detail: `max ${round(lagMax)} ms; ${round((cpu * 1000) / chunks)} µs CPU per chunk and reader; a chunk is ${round(median(late))} ms old, p99 ${round(percentile(late, 0.99))}`,
    },
  ];
}

async function firstWord<T>(
  events: AsyncIterable<T>,
  isWord: (event: T) => boolean,
): Promise<void> {
  for await (const event of events) if (isWord(event)) return;
  throw new Error('the stream ended without a word');
}

async function* nothing(): AsyncGenerator<never> {}

async function drain(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of events);
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function inBatches<T>(count: number, make: () => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  while (made.length < count) {
    const batch = Math.min(20, count - made.length);
    made.push(...(await Promise.all(Array.from({ length: batch }, make))));
  }
  return made;
}
