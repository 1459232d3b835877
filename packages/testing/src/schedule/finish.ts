import type { SessionRow } from '@helix-agents/core';
import { storeOf } from '../world/test-world.ts';
import { readCalls } from './dump.ts';
import { LEASE_MS, type ScheduleProcess } from './process.ts';
import { advance, readOn, type Stage } from './stage.ts';

const STEPS_TO_REST = 20_000;
const ROUNDS = 40;
/** Beyond the lease and the longest pause between two recoveries of one run. */
const LONG_ENOUGH = LEASE_MS + 61_000;

/** All faults end and everything that was begun comes to rest. Open calls are not answered yet. */
export async function bringToRest(stage: Stage, stuck: string[]): Promise<void> {
  for (const process of stage.processes) {
    process.state = 'up';
    process.storeFaults = [];
    process.modelFaults = [];
  }
  await quiet(stage, stuck);
  for (let round = 0; round < ROUNDS; round += 1) {
    stage.simulator.jump(LONG_ENOUGH);
    stage.client.sweep(first(stage));
    await quiet(stage, stuck);
    const sessions = await rootRows(stage);
    if (sessions.every((session) => session.status !== 'running')) break;
  }
  await attachAll(stage, stuck);
}

/** People answer whatever is open and resume until every root has ended. */
export async function bringToAnEnd(stage: Stage, stuck: string[]): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const waiting = (await rootRows(stage)).filter((session) => !hasEnded(session));
    if (waiting.length === 0) break;
    for (const { rootId } of waiting) {
      await answerAll(stage, rootId);
      await quiet(stage, stuck);
      stage.client.resume(first(stage), rootId);
      await quiet(stage, stuck);
    }
    stage.simulator.jump(LONG_ENOUGH);
    stage.client.sweep(first(stage));
    await quiet(stage, stuck);
  }
  for (const session of await rootRows(stage)) {
    if (!hasEnded(session))
      stuck.push(`${session.sessionId} is ${session.status} after ${ROUNDS} rounds of answers`);
  }
  await attachAll(stage, stuck);
  for (const rootId of stage.roots) {
    for (let piece = 0; piece < 1_000 && (await hasMore(stage, rootId)); piece += 1)
      await readOn(stage, rootId);
  }
}

async function hasMore(stage: Stage, rootId: string): Promise<boolean> {
  const head = (await stage.open.streamManager.getStreamInfo(rootId))?.head ?? 0;
  return (stage.readers.get(rootId)?.at(-1)?.sequence ?? 0) < head;
}

async function quiet(stage: Stage, stuck: string[]): Promise<void> {
  if (!(await advance(stage, STEPS_TO_REST)))
    stuck.push(`still busy after ${STEPS_TO_REST} steps (${stage.simulator.waiting} waiting)`);
}

/** Attaching to a session announces what its stream misses. */
async function attachAll(stage: Stage, stuck: string[]): Promise<void> {
  const process = first(stage);
  for (const rootId of stage.roots) {
    process.executor.getHandle(process.tree.root, rootId).catch((error: unknown) => {
      stuck.push(`attach to ${rootId}: ${String(error)}`);
    });
    await quiet(stage, stuck);
  }
}

async function answerAll(stage: Stage, rootId: string): Promise<void> {
  for (const row of await readCalls(stage.open, rootId)) {
    if (row.state !== 'open') continue;
    const how = stage.people.chance(0.25) ? 'deny' : 'right';
    stage.client.submit(first(stage), stage.client.submission(rootId, row, how));
  }
}

async function rootRows(stage: Stage): Promise<SessionRow[]> {
  const rows = await Promise.all(
    stage.roots.map((rootId) => {
      const ref = { rootId, sessionId: rootId };
      return storeOf(stage.open, ref).readSession(ref);
    }),
  );
  return rows.filter((row) => row !== null);
}

function hasEnded(session: SessionRow): boolean {
  return session.status === 'completed' || session.status === 'failed';
}

function first(stage: Stage): ScheduleProcess {
  return stage.processes[0] as ScheduleProcess;
}
