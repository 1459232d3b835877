import type { StoredChunk } from '@helix-agents/core';
import type { ScheduleClient } from './client.ts';
import type { ScheduleProcess, Surroundings } from './process.ts';
import type { Random } from '../world/random.ts';
import type { ScheduleLog } from './schedule-log.ts';
import type { Simulator } from './simulator.ts';
import type { TestWorld } from '../world/test-world.ts';

/** The state of a schedule under way. */
export interface Stage {
  readonly open: TestWorld;
  readonly simulator: Simulator;
  readonly random: Random;
  /** What people choose: the same on every host. */
  readonly people: Random;
  readonly log: ScheduleLog;
  readonly client: ScheduleClient;
  readonly around: Surroundings;
  readonly roots: readonly string[];
  readonly processes: ScheduleProcess[];
  readonly readers: Map<string, StoredChunk[]>;
  started: number;
  steps: number;
}

/** Lets the simulation take up to `count` steps. */
export async function advance(stage: Stage, count: number): Promise<boolean> {
  for (let done = 0; done < count; done += 1) {
    if (!(await stage.simulator.step())) return true;
    stage.steps += 1;
  }
  return false;
}

/** A reader that comes back reads on from the last number it saw. */
export async function readOn(stage: Stage, rootId: string): Promise<void> {
  const seen = stage.readers.get(rootId) ?? [];
  const after = seen.at(-1)?.sequence ?? 0;
  const limit = 1 + stage.people.below(50);
  seen.push(...(await stage.open.streamManager.readChunks(rootId, { after, limit })));
  stage.readers.set(rootId, seen);
}
