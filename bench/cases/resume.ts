import { join } from 'node:path';
import { askingModel, benchAgent, callId } from '../lib/agents.ts';
import {
  countingStore,
  countingStreams,
  perUnit,
  watchSqlite,
  type Counts,
} from '../lib/counting.ts';
import { aboutAnother, askAgain, notingStores, type Asked } from '../lib/asked-again.ts';
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
  const others = ids.map((id) => `other-${id}`);
  for (const id of [...ids, ...others, 'noted'])
    await runTurn(starter, agent, id, 'suspended_client_tool');
  first.close();
  const asked = await notedResume(path, sync, 'noted');
  const begun = rawSqlite(rawPath, sync);
  for (const id of ids) begun.create(id, [{ role: 'user', content: 'go' }]);
  begun.close();
  const rounds: Readonly<Record<Side, Resumed>>[] = [];
  for (const id of ids) {
    const raw = await rawResume(rawPath, sync, id);
    const ours = await ownResume(path, sync, (stores) => answerAndResume(stores, id));
    const same = aboutAnother(asked.requests, asked.renamed(`other-${id}`));
    const store = await ownResume(path, sync, (stores) => askAgain(stores, same));
    rounds.push({ raw, ours, store });
  }
  // The first ones warm up.
  const measured = rounds.slice(WARM_UP);
  const doing = await commitsOf(sync);
  const row = (name: string, side: Side, timeOf: (one: Resumed) => number): Result => {
    const figure = (of: Side, share: number): string =>
      `${round(
        percentile(
          measured.map((one) => timeOf(one[of])),
          share,
        ),
      )} ms`;
    return {
      case: 'resume',
      name: `sqlite ${sync}, ${name}`,
      value: median(measured.map((one) => timeOf(one[side]) / timeOf(one.raw))),
      unit: '× raw',
      detail: `p50 ${figure(side, 0.5)}, p99 ${figure(side, 0.99)}; raw, ${RAW_COMMITS} commits: p50 ${figure('raw', 0.5)}, p99 ${figure('raw', 0.99)}`,
    };
  };
  const target = { atMost: 1.5 };
  const alone = row('answer, resume, complete', 'ours', ({ work }) => work.wallMs);
  const opened = row(
    'the same with opening the file',
    'ours',
    (one) => one.opening.wallMs + one.work.wallMs,
  );
  const store = row('what that asks of the stores, alone', 'store', ({ work }) => work.wallMs);
  return [
    { ...alone, target, detail: `${alone.detail}; it does: ${doing}` },
    { ...opened, target },
    store,
  ];
}

type Side = 'raw' | 'ours' | 'store';

interface Resumed {
  /** A fresh process has to open the file too, and so has the raw loop. */
  readonly opening: Sample;
  readonly work: Sample;
}

/** What a resume asks of its stores, and what to call things when another session asks the same. */
async function notedResume(
  path: string,
  sync: Sync,
  id: string,
): Promise<{
  readonly requests: readonly Asked[];
  readonly renamed: (other: string) => ReadonlyMap<string, string>;
}> {
  const stores = sqliteStores(sync, path);
  const requests: Asked[] = [];
  await answerAndResume(notingStores(stores, requests), id);
  const [run] = await stores.stateStore.sessions.readRuns(
    { rootId: id, sessionId: id },
    { last: 1 },
  );
  stores.close();
  const runId = run?.runId ?? '';
  return {
    requests: requests.filter(({ method }) => method !== 'flush'),
    renamed: (other) =>
      new Map([
        [id, other],
        [runId, `run-of-${other}`],
      ]),
  };
}

async function ownResume(
  path: string,
  sync: Sync,
  answer: (stores: Stores) => Promise<void>,
): Promise<Resumed> {
  const opened: Stores[] = [];
  const opening = await sample(async () => {
    const stores = sqliteStores(sync, path);
    opened.push(stores);
    await stores.stateStore.sessions.readRuns({ rootId: 'x', sessionId: 'x' });
  });
  const [stores] = opened as [Stores];
  const work = await sample(() => answer(stores));
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
