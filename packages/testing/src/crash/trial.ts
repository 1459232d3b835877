import { collectAgents } from '@helix-agents/core/host';
import { describeBoundary, type Boundary } from './boundary.ts';
import { checkLedger } from './check-ledger.ts';
import { checkRows } from './check-rows.ts';
import { checkStream } from './check-stream.ts';
import type { TestCrashesOptions } from './harness.ts';
import type { Fate } from './mortal-process.ts';
import { Person, type PersonOptions } from './person.ts';
import type { Scenario } from './scenario.ts';
import { storyOf, withKnownOutcomes, type Story } from './story.ts';
import type { TreeDump } from './tree-dump.ts';
import { World } from './world.ts';

/** One run of one scenario. */
export interface Trial {
  readonly story: Story;
  /** Calls of the first process, in order. */
  readonly boundaries: readonly Boundary[];
  /** Where each fate struck. */
  readonly struck: readonly { readonly fate: Fate; readonly boundary: Boundary }[];
  /** What did not hold, one line each. */
  readonly faults: readonly string[];
}

/** Tells a scenario under the given fates and checks all that must hold at its end. */
export async function runTrial(
  options: TestCrashesOptions,
  scenario: Scenario,
  person: PersonOptions,
  undisturbed: Story | null,
): Promise<Trial> {
  const world = await World.open(options, scenario);
  try {
    const client = new Person(world, person);
    const faults: string[] = [];
    try {
      await client.live();
      await releasePaused(world, faults);
    } catch (error) {
      faults.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
    }
    const dump = await world.dump();
    faults.push(...client.log.faults, ...checkRows(dump));
    // A process that goes on next to its successor writes chunks until it learns that it is late.
    if (person.release !== 'early') faults.push(...checkStream(dump));
    faults.push(...ledgerFaults(world, client, dump));
    faults.push(...interruptFaults(client, dump));
    const story = storyOf(dump, scenario.compareChildren ?? true);
    if (undisturbed) faults.push(...storyFaults(story, undisturbed, wasCrashed(world)));
    return {
      story,
      boundaries: world.processes[0]?.boundaries ?? [],
      struck: strokes(world, person),
      faults,
    };
  } finally {
    for (const process of world.processes) process.kill();
    await world.time.quiet();
    await world.stores.close();
  }
}

/** Lets a paused process go on after another one has finished its work: nothing may change any more. */
async function releasePaused(world: World, faults: string[]): Promise<void> {
  const paused = world.processes.filter((process) => process.paused);
  if (paused.length === 0) return;
  const before = JSON.stringify(await world.dump());
  for (const process of paused) process.resume();
  await world.time.pass(60_000);
  const after = JSON.stringify(await world.dump());
  if (before !== after) faults.push(`a late process changed ${difference(before, after)}`);
}

function difference(before: string, after: string): string {
  let at = 0;
  while (before[at] === after[at]) at += 1;
  const from = Math.max(0, at - 120);
  return `${before.slice(from, at + 120)}\n  into ${after.slice(from, at + 120)}`;
}

function ledgerFaults(world: World, client: Person, dump: TreeDump): string[] {
  const agents = collectAgents(client.current.agent);
  // A paused process may finish its call, which the process that took over performs, too.
  const paused = world.processes.filter((process) => process.wasPaused).length;
  const interruptions = world.deaths + 2 * paused + client.log.interrupted.length;
  return checkLedger(dump, world.ledger, agents, interruptions);
}

function wasCrashed(world: World): boolean {
  return world.processes.some((process) => process.dead || process.wasPaused);
}

/** An acknowledged interrupt stopped the run it named. */
function interruptFaults(client: Person, dump: TreeDump): string[] {
  return client.log.interrupted.flatMap((runId) => {
    const run = dump.sessions[0]?.runs.find((row) => row.runId === runId);
    const stopped = run?.status === 'interrupted' || run?.status.startsWith('suspended_');
    return stopped ? [] : [`run ${runId} was interrupted and ended as ${run?.status}`];
  });
}

function storyFaults(story: Story, undisturbed: Story, crashed: boolean): string[] {
  const told = crashed ? withKnownOutcomes(story, undisturbed) : story;
  const expected = JSON.stringify(undisturbed);
  const actual = JSON.stringify(told);
  return expected === actual ? [] : [`the story differs: ${difference(expected, actual)}`];
}

function strokes(world: World, person: PersonOptions): Trial['struck'] {
  return world.processes.flatMap((process, at) => {
    const fate = person.fates[at];
    return process.struck && fate ? [{ fate, boundary: process.struck }] : [];
  });
}

/** A trial's failure, with all that is needed to repeat it. */
export function describeTrial(scenario: Scenario, person: PersonOptions, trial: Trial): string {
  const where = person.fates
    .map(({ kind, at, side }, position) => {
      const boundary = trial.struck[position]?.boundary;
      return `${kind} ${side} call ${at}${boundary ? ` (${describeBoundary(boundary)})` : ''}`;
    })
    .join(', then ');
  return `${scenario.name}: ${where}\n    ${trial.faults.join('\n    ')}`;
}
