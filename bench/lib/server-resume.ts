import { benchAgent, callId, refundingModel } from './agents.ts';
import { executorFor, freshId, runTurn } from './executors.ts';
import {
  median,
  percentile,
  round,
  sample,
  type BenchOptions,
  type Result,
  type Sample,
} from './measure.ts';
import type { RawServer, ServerPlace, ServerStores } from './server-place.ts';

const agent = benchAgent('server-resume', 'step');
const model = refundingModel();
const WARM_UP = 10;

/** Sessions that wait for an approval; then stores and executors that know nothing of them approve, resume and complete each. */
export async function serverResume(place: ServerPlace, options: BenchOptions): Promise<Result> {
  const ids = Array.from({ length: WARM_UP + (options.quick ? 30 : 150) }, freshId);
  options.progress(`${place.name}: ${ids.length} sessions that wait for an approval`);
  const first = place.open();
  const starter = executorFor(first, model, agent);
  for (const id of ids) {
    await runTurn(starter, agent, id, 'suspended_client_tool');
    await place.raw.create(id, [{ role: 'user', content: 'go' }]);
  }
  first.close();
  options.progress(`${place.name}: approvals`);
  const second = place.open();
  const pairs: { readonly raw: Sample; readonly ours: Sample }[] = [];
  for (const id of ids) {
    const raw = await sample(() => rawResume(place.raw, id));
    pairs.push({ raw, ours: await sample(() => approveAndResume(second, id)) });
  }
  second.close();
  const measured = pairs.slice(WARM_UP);
  const at = (side: 'raw' | 'ours', share: number): string =>
    `${round(
      percentile(
        measured.map((pair) => pair[side].wallMs),
        share,
      ),
    )} ms`;
  const { resume: target } = place.targets;
  return {
    case: place.name,
    name: 'approve, resume, complete',
    value: median(measured.map(({ raw, ours }) => ours.wallMs / raw.wallMs)),
    unit: '× raw',
    ...(target && { target }),
    detail: `p50 ${at('ours', 0.5)}, p99 ${at('ours', 0.99)}; raw, 4 commits: p50 ${at('raw', 0.5)}, p99 ${at('raw', 0.99)}`,
  };
}

async function approveAndResume(stores: ServerStores, sessionId: string): Promise<void> {
  const executor = executorFor(stores, model, agent);
  const outcome = await executor.submitToolResult({
    kind: 'approval-response',
    sessionId,
    toolCallId: callId(0),
    approved: true,
  });
  if (outcome.status !== 'accepted') throw new Error(outcome.status);
  const handle = await executor.resume(sessionId);
  const { status } = await handle.result();
  if (status !== 'completed') throw new Error(status);
}

/** What it cannot do without: the answer, the claim, the step taken in, the last step. */
async function rawResume(raw: RawServer, id: string): Promise<void> {
  await raw.commit(id, 1, [{ answer: { approved: true } }]);
  await raw.commit(id, 2, []);
  await raw.closeStep(id, 3, [{ role: 'tool', content: { yes: true } }]);
  await raw.closeStep(id, 4, [{ role: 'assistant', content: 'done' }]);
}
