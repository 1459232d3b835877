import type { SessionRow, StreamChunk } from '@helix-agents/core';
import { setTimeout as wait } from 'node:timers/promises';
import { freshId } from './executors.ts';
import { percentile, round, type BenchOptions, type Result } from './measure.ts';
import type { ServerPlace, ServerStores } from './server-place.ts';
import { storeTurn } from './store-turn.ts';

/** How soon a reader on another connection has a chunk; 200 of them, 5 ms apart. */
export async function liveTail(place: ServerPlace, options: BenchOptions): Promise<Result> {
  options.progress(`${place.name}: live tail`);
  const [writer, reader] = [place.open(), place.open()];
  const id = freshId();
  await writer.streamManager.createWriter(id, id, 'a');
  const times: number[] = [];
  const reading = readAll(reader, id, (chunk) => times.push(performance.now() - sentAt(chunk)));
  await wait(50);
  for (let count = 0; count < (options.quick ? 60 : 200); count += 1) {
    await writer.streamManager.append(id, [{ chunk: textChunk(id, `${performance.now()}`) }]);
    await wait(5);
  }
  await writer.streamManager.endStream(id);
  await reading;
  writer.close();
  reader.close();
  return {
    case: place.name,
    name: 'live tail p50',
    value: percentile(times, 0.5),
    unit: 'ms',
    target: place.targets.tailP50,
    detail: `p95 ${round(percentile(times, 0.95))} ms, from before the append until the reader has it`,
  };
}

/** Readers of one stream, all in this process; everybody gets everything. */
export async function manyReaders(place: ServerPlace, options: BenchOptions): Promise<Result> {
  options.progress(`${place.name}: 300 readers`);
  const [readers, chunks] = [300, options.quick ? 50 : 200];
  const stores = place.open();
  const id = freshId();
  await stores.streamManager.createWriter(id, id, 'a');
  let heard = 0;
  const everybody = Promise.withResolvers<void>();
  const hear = (): void => {
    heard += 1;
    if (heard === readers) everybody.resolve();
  };
  const reading = Array.from({ length: readers }, () => readAll(stores, id, hear));
  const first = { chunk: textChunk(id, 'first') };
  await stores.streamManager.append(id, [first]);
  await Promise.race([everybody.promise, Promise.all(reading)]);
  // Until all of them wait.
  await wait(1_000);
  heard = 0;
  const start = performance.now();
  for (let count = 0; count < chunks; count += 1) {
    await stores.streamManager.append(id, [{ chunk: textChunk(id, 'word') }]);
  }
  await stores.streamManager.endStream(id);
  await Promise.all(reading);
  const seconds = (performance.now() - start) / 1000;
  stores.close();
  if (heard !== readers * chunks) throw new Error(`${heard} of ${readers * chunks} were heard`);
  return {
    case: place.name,
    name: '300 readers of one stream',
    value: heard / seconds,
    unit: 'chunks/s delivered',
    target: { atLeast: 15_000 },
    detail: `${chunks} appends, one by one`,
  };
}

/** Sixteen that read, then commit on what they read, on one session. */
export async function manyWriters(place: ServerPlace, options: BenchOptions): Promise<Result> {
  options.progress(`${place.name}: 16 writers`);
  const stores = place.open();
  const { sessions } = stores.stateStore;
  const sessionId = freshId();
  await storeTurn(sessions, sessionId);
  const ref = { rootId: sessionId, sessionId };
  const until = performance.now() + (options.quick ? 500 : 2_000);
  let [won, lost] = [0, 0];
  const start = performance.now();
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      while (performance.now() < until) {
        const { version } = (await sessions.readSession(ref)) as SessionRow;
        const applied = await sessions.commit({
          kind: 'edit',
          rootId: sessionId,
          commitId: crypto.randomUUID(),
          now: Date.now(),
          guard: { sessions: [{ sessionId, version }] },
          sessions: [{ sessionId, set: { updatedAt: Date.now() }, raise: { version: true } }],
        });
        if (applied) won += 1;
        else lost += 1;
      }
    }),
  );
  const seconds = (performance.now() - start) / 1000;
  stores.close();
  return {
    case: place.name,
    name: '16 writers on one session',
    value: won / seconds,
    unit: 'commits/s',
    target: { atLeast: 100 },
    detail: `${round(lost / seconds)}/s were too late`,
  };
}

async function readAll(
  { streamManager }: ServerStores,
  id: string,
  hear: (chunk: StreamChunk) => void,
): Promise<void> {
  const reader = await streamManager.createReader(id);
  for await (const chunk of reader ?? []) hear(chunk);
}

function textChunk(agentId: string, delta: string): StreamChunk {
  return { agentId, agentType: 'a', timestamp: 0, step: 1, type: 'text_delta', delta };
}

function sentAt(chunk: StreamChunk): number {
  return chunk.type === 'text_delta' ? Number(chunk.delta) : Number.NaN;
}
