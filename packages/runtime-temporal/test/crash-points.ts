import { expect, vi } from 'vitest';
import { agent, type WorkerWorld } from './worker-world.ts';

/** Where a session stands when its worker is killed, and what has to become of it. */
interface Point {
  readonly id: string;
  readonly script: string;
  readonly place: string;
  /** The call that is answered before. */
  readonly answer?: string;
  readonly interrupt?: true;
  /** A result is recorded before. */
  readonly recorded?: true;
  readonly ends: object;
  readonly executed: readonly string[];
}

const PATIENCE = { timeout: 300_000, interval: 20 };
const DONE = { status: 'completed', output: 'done' };
const WAITS = { status: 'suspended_client_tool' };
const BELOW = { status: 'suspended_awaiting_children' };

const POINTS: readonly Point[] = [
  { id: 'K02', script: 'plain', place: 'before started', ends: DONE, executed: ['look'] },
  { id: 'K03', script: 'plain', place: 'in model', ends: DONE, executed: ['look'] },
  { id: 'K04', script: 'plain', place: 'after plan', ends: DONE, executed: ['look'] },
  { id: 'K05', script: 'plain', place: 'in look', ends: DONE, executed: ['look', 'look'] },
  {
    id: 'K06',
    script: 'parallel',
    place: 'in slow',
    recorded: true,
    ends: DONE,
    executed: ['look', 'slow', 'slow'],
  },
  { id: 'K07', script: 'plain', place: 'before close', ends: DONE, executed: ['look'] },
  { id: 'K08', script: 'plain', place: 'after close', ends: DONE, executed: ['look'] },
  { id: 'K09', script: 'human', place: 'after plan', ends: WAITS, executed: [] },
  { id: 'K10', script: 'human', place: 'after suspend', ends: WAITS, executed: [] },
  {
    id: 'K15',
    script: 'human',
    place: 'after close',
    answer: 'pick-0',
    ends: DONE,
    executed: [],
  },
  {
    id: 'K16',
    script: 'gated',
    place: 'before result',
    answer: 'pay-0',
    ends: DONE,
    executed: ['pay'],
  },
  { id: 'K17', script: 'child', place: 'after plan', ends: DONE, executed: ['look'] },
  { id: 'K18', script: 'child', place: 'before result', ends: DONE, executed: ['look'] },
  { id: 'K19', script: 'asking', place: 'before suspend', ends: BELOW, executed: [] },
  {
    id: 'K20',
    script: 'wait',
    place: 'before interrupted',
    interrupt: true,
    ends: { status: 'interrupted' },
    executed: ['wait'],
  },
  { id: 'K22', script: 'plain', place: 'after completed', ends: DONE, executed: ['look'] },
];

/** Kills a worker in which every session stands at its point, then lets another one go on. */
export async function killAtEveryPoint(world: WorkerWorld): Promise<void> {
  const hold = Object.fromEntries(POINTS.map(({ id, place }) => [id, place]));
  const first = await world.worker({ hold });
  for (const { id, script } of POINTS) await world.start(id, script);
  for (const point of POINTS) await prepare(world, point);
  await first.held(POINTS.map(({ id }) => id));
  await first.end('SIGKILL');
  await world.worker();
  await Promise.all(POINTS.map((point) => checkEnd(world, point)));
}

/** What a person does before the worker dies. */
async function prepare(world: WorkerWorld, point: Point): Promise<void> {
  const { id: sessionId, recorded } = point;
  const { executor, stateStore } = world;
  if (point.answer !== undefined) await answer(world, sessionId, point.answer);
  if (recorded) {
    const ref = { rootId: sessionId, sessionId };
    const isThere = async (): Promise<boolean> =>
      (await stateStore.sessions.readStep(ref))?.journal.some((row) => row.kind === 'result') ??
      false;
    await vi.waitUntil(isThere, PATIENCE);
  }
  if (!point.interrupt) return;
  await vi.waitUntil(() => world.ledger().some((line) => line.sessionId === sessionId), PATIENCE);
  await executor.interrupt(sessionId);
}

/** Once the run has ended and waits for it. */
async function answer(world: WorkerWorld, sessionId: string, toolCallId: string): Promise<void> {
  const handle = await world.executor.getHandle(agent, sessionId);
  expect((await handle?.result())?.status).toMatch(/^suspended_/);
  await world.executor.submitToolResult(
    toolCallId.startsWith('pay')
      ? { kind: 'approval-response', sessionId, toolCallId, approved: true }
      : { kind: 'client-tool-result', sessionId, toolCallId, result: 'red' },
  );
  await world.executor.resume(sessionId);
}

/** It ends as it should, nothing ran more often than it may, and nothing is left open, half done or unsaid. */
async function checkEnd(world: WorkerWorld, point: Point): Promise<void> {
  const { id, ends, executed } = point;
  const { executor, client, streams, stateStore, prefix } = world;
  const handle = await executor.getHandle(agent, id);
  expect(await handle?.result(), id).toMatchObject(ends);
  const workflow = `${prefix}__work__${id}${point.answer === undefined ? '' : '__resume-1'}`;
  await client.workflow.getHandle(workflow).result();
  const mine = world.ledger().filter((line) => line.sessionId.startsWith(id));
  expect(mine.map((line) => line.tool).toSorted(), id).toEqual(executed);
  const step = await stateStore.sessions.readStep({ rootId: id, sessionId: id });
  expect(step?.session.recoveries, `${id}: nobody took it over`).toBe(0);
  if ('output' in ends) expect(step?.journal, id).toEqual([]);
  const chunks = ((await streams.readChunks?.(id)) ?? []).map((one) => one.chunk);
  const { runs } = await executor.listRuns(id);
  const marks = chunks.filter((chunk) => chunk.type.startsWith('run_'));
  expect(marks.length, `${id}: each run begins and ends once`).toBe(2 * runs.length);
}
