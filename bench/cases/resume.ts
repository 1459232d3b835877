import { join } from 'node:path';
import { askingModel, benchAgent, callId } from '../lib/agents.ts';
import {
  countingStore,
  countingStreams,
  perUnit,
  watchSqlite,
  type Counts,
} from '../lib/counting.ts';
import { executorFor, freshId, runTurn } from '../lib/executors.ts';
import {
  median,
  percentile,
  round,
  sample,
  type BenchCase,
  type Result,
  type Sample,
} from '../lib/measure.ts';
import { rawSqlite, type RawStore } from '../lib/raw.ts';
import { scratch, sqliteStores, type Stores, type Sync } from '../lib/stores.ts';
import { warmUp } from '../lib/warm-up.ts';

const agent = benchAgent('resume', 'step');
const model = askingModel(1);
/** What a resume that completes cannot do without: the answer, the claim, the step taken in, the last step. */
const RAW_COMMITS = 4;
const WARM_UP = 20;

/** A suspended session; then a new store object and a new executor answer, resume and complete it. */
export const resume: BenchCase = {
  name: 'resume',
  async run(options) {
    const results: Result[] = [];
    await warmUp(options);
    for (const sync of ['full', 'normal'] as const) {
      options.progress(`resume: sqlite ${sync}`);
      results.push(...(await measure(sync, options.quick ? 20 : 200)));
    }
    return results;
  },
};

async function measure(sync: Sync, count: number): Promise<Result[]> {
  const path = join(scratch(), 'agents.db');
  const rawPath = join(scratch(), 'raw.db');
  const first = sqliteStores(sync, path);
  const starter = executorFor(first, model, agent);
  const ids = Array.from({ length: count + WARM_UP }, freshId);
  for (const id of ids) await runTurn(starter, agent, id, 'suspended_client_tool');
  first.close();
  const begun = rawSqlite(rawPath, sync);
  for (const id of ids) begun.create(id, [{ role: 'user', content: 'go' }]);
  begun.close();
  const pairs: { readonly raw: Resumed; readonly ours: Resumed }[] = [];
  for (const id of ids) {
    const raw = await rawResume(rawPath, sync, id);
    pairs.push({ raw, ours: await ownResume(path, sync, id) });
  }
  // The first ones warm up.
  const measured = pairs.slice(WARM_UP);
  const doing = await commitsOf(sync);
  const row = (name: string, timeOf: (one: Resumed) => number): Result => {
    const figure = (side: 'raw' | 'ours', share: number): string =>
      `${round(
        percentile(
          measured.map((pair) => timeOf(pair[side])),
          share,
        ),
      )} ms`;
    return {
      case: 'resume',
      name: `sqlite ${sync}, ${name}`,
      value: median(measured.map(({ raw, ours }) => timeOf(ours) / timeOf(raw))),
      unit: '× raw',
      target: { atMost: 1.5 },
      detail: `p50 ${figure('ours', 0.5)}, p99 ${figure('ours', 0.99)}; raw, ${RAW_COMMITS} commits: p50 ${figure('raw', 0.5)}, p99 ${figure('raw', 0.99)}`,
    };
  };
  const alone = row('answer, resume, complete', ({ work }) => work.wallMs);
  const opened = row(
    'the same with opening the file',
    (one) => one.opening.wallMs + one.work.wallMs,
  );
  return [{ ...alone, detail: `${alone.detail}; it does: ${doing}` }, opened];
}

interface Resumed {
  /** A fresh process has to open the file too, and so has the raw loop. */
  readonly opening: Sample;
  readonly work: Sample;
}

async function ownResume(path: string, sync: Sync, id: string): Promise<Resumed> {
  const opened: Stores[] = [];
  const opening = await sample(async () => {
    const stores = sqliteStores(sync, path);
    opened.push(stores);
    await stores.stateStore.sessions.readRuns({ rootId: id, sessionId: id });
  });
  const [stores] = opened as [Stores];
  const work = await sample(() => answerAndResume(stores, id));
  stores.close();
  return { opening, work };
}

async function answerAndResume(stores: Stores, sessionId: string): Promise<void> {
  const executor = executorFor(stores, model, agent);
  const outcome = await executor.submitToolResult({
    kind: 'client-tool-result',
    sessionId,
    toolCallId: callId(0),
    result: { yes: true },
  });
  if (outcome.status !== 'accepted') throw new Error(outcome.status);
  const handle = await executor.resume(sessionId);
  const { status } = await handle.result();
  if (status !== 'completed') throw new Error(status);
}

async function rawResume(path: string, sync: Sync, id: string): Promise<Resumed> {
  const opened: RawStore[] = [];
  const opening = await sample(async () => void opened.push(rawSqlite(path, sync)));
  const [store] = opened as [RawStore];
  const work = await sample(async () => {
    store.commit(id, 1, [{ answer: { yes: true } }]);
    store.commit(id, 2, []);
    store.closeStep(id, 3, [{ role: 'tool', content: { yes: true } }]);
    store.closeStep(id, 4, [{ role: 'assistant', content: 'done' }]);
  });
  store.close();
  return { opening, work };
}

async function commitsOf(sync: Sync): Promise<string> {
  const counts: Counts = new Map();
  const asked: Counts = new Map();
  const path = join(scratch(), 'counted.db');
  const before = sqliteStores(sync, path);
  await runTurn(executorFor(before, model, agent), agent, 'counted', 'suspended_client_tool');
  before.close();
  const stop = watchSqlite({ counts, micros: new Map(), calls: new Map() });
  try {
    const stores = sqliteStores(sync, path);
    await stores.stateStore.sessions.readSession({ rootId: 'x', sessionId: 'x' });
    counts.clear();
    await answerAndResume(
      {
        ...stores,
        stateStore: countingStore(stores.stateStore, asked),
        streamManager: countingStreams(stores.streamManager, asked),
      },
      'counted',
    );
    stores.close();
  } finally {
    stop();
  }
  return `${perUnit(counts, 1)} (${perUnit(asked, 1)})`;
}
