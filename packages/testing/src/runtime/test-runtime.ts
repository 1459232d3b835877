import { isRoot } from '@helix-agents/core/store';
import { describe, expect, it } from 'vitest';
import type { SessionStore } from '@helix-agents/core/store';
import { hashText } from '../world/random.ts';
import { HANGS_AFTER_MS } from '../world/whole.ts';
import type { OpenTestWorld } from '../world/test-world.ts';
import type { TestRuntimeOptions } from './harness.ts';
import { checkInvariants } from './invariants.ts';
import { abort } from './abort.ts';
import { approvals } from './approvals.ts';
import { capabilities } from './capabilities/capabilities.ts';
import { children } from './children.ts';
import { costs } from './costs.ts';
import { crashes } from './crashes.ts';
import { deadlines } from './deadlines.ts';
import { deletedSessions } from './deleted-sessions.ts';
import { definitionChanges } from './definition-changes.ts';
import { engineRecovery } from './engine-recovery.ts';
import { everythingAtOnce } from './everything-at-once.ts';
import { humanCalls } from './human/human-calls.ts';
import { importedTranscripts } from './imported-transcripts.ts';
import { interrupt } from './interrupt.ts';
import { manyChildren } from './many-children.ts';
import { modelRetries } from './model-retries.ts';
import { newMessages } from './new-messages.ts';
import { outages } from './outages.ts';
import { ownership } from './ownership.ts';
import { observedHistory } from './observed-history.ts';
import { parallelTools } from './parallel-tools.ts';
import { plainRuns } from './plain-runs.ts';
import { recovery } from './recovery.ts';
import { repeatedMessages } from './repeated-messages.ts';
import { retention } from './retention.ts';
import { resume } from './resume.ts';
import { runStreams } from './run-streams.ts';
import { stoppedText } from './stopped-text.ts';
import { submit } from './submit.ts';
import { takenCallIds } from './taken-call-ids.ts';
import { toolResults } from './tool-results.ts';
import { oddValues } from './odd-values.ts';
import { hangingCode } from './hanging-code.ts';
import { traces } from './traces.ts';
import { turns } from './turns.ts';
import { unreachableChildren } from './unreachable-children.ts';
import { whoseAgent } from './whose-agent.ts';
import { closedForGood } from './closed-for-good.ts';
import { whyNotResumed } from './why-not-resumed.ts';
import { openWorld, type Scenario, type World } from './world.ts';

type Body = (world: World) => Promise<void>;

/**
 * What every runtime must hold to. Registers vitest tests; each gets fresh stores and makes its own processes.
 *
 * @example
 * testRuntime({
 *   name: 'js',
 *   open: () => ({
 *     ...openSqlite(':memory:', { pollMs: 5 }),
 *     start: (parts) => new JSAgentExecutor(parts),
 *   }),
 * });
 */
export function testRuntime(options: TestRuntimeOptions): void {
  const { sameAs, plays = () => true } = options;
  let count = 0;
  const test = (title: string, body: () => Promise<void>): void => {
    it.skipIf(!plays(count))(title, body);
    count += 1;
  };
  const alone = (title: string, body: Body): void => {
    test(title, async () => {
      await play(options.open, title, body);
    });
  };
  const compared = (title: string, body: Body): void => {
    test(title, async () => {
      const history = await play(options.open, title, body);
      if (sameAs) await compare(history, () => play(sameAs, title, body));
    });
  };
  const nothing = (): void => {};
  const isEngine = options.keepsRunsAlive === 'engine';
  const scenario: Scenario = Object.assign(compared, {
    race: alone,
    leased: isEngine ? nothing : compared,
    apart: options.apart ? compared : nothing,
    engine: isEngine ? alone : nothing,
  });
  describe(`runtime: ${options.name}`, () => {
    for (const property of properties) property(scenario);
  });
}

async function play(open: OpenTestWorld, title: string, body: Body): Promise<object> {
  const watch = (store: SessionStore): SessionStore => store;
  const world = openWorld(await open({ now: Date.now, seed: hashText(title), title, watch }));
  try {
    await body(world);
    await checkInvariants(world);
    await untilAllIsSaid(world);
    return await observedHistory(world);
  } finally {
    await world.close();
  }
}

const SAID_WITHIN_MS = HANGS_AFTER_MS / 2;

/** A run has ended a moment before its stream has. One that a dead process did not close stays as it is. */
async function untilAllIsSaid(world: World): Promise<void> {
  const roots = (await world.sessions()).filter((one) => isRoot(one) && one.status !== 'running');
  const giveUpAt = Date.now() + SAID_WITHIN_MS;
  while (Date.now() < giveUpAt) {
    const streams = await Promise.all(
      roots.map((one) => world.streams.getStreamInfo(one.streamId)),
    );
    if (streams.every((stream) => stream?.status !== 'active')) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** A scenario that leaves different histories on the same runtime is a race: there is nothing to compare. */
async function compare(history: object, playOther: () => Promise<object>): Promise<void> {
  const [first, second] = [await playOther(), await playOther()];
  if (JSON.stringify(first) !== JSON.stringify(second)) return;
  expect(history, 'the history that the other runtime leaves').toEqual(first);
}

const properties: readonly ((scenario: Scenario) => void)[] = [
  plainRuns,
  modelRetries,
  toolResults,
  oddValues,
  hangingCode,
  parallelTools,
  everythingAtOnce,
  turns,
  traces,
  submit,
  approvals,
  deadlines,
  resume,
  interrupt,
  stoppedText,
  abort,
  newMessages,
  repeatedMessages,
  children,
  manyChildren,
  unreachableChildren,
  definitionChanges,
  capabilities,
  importedTranscripts,
  crashes,
  recovery,
  outages,
  engineRecovery,
  ownership,
  runStreams,
  costs,
  takenCallIds,
  retention,
  deletedSessions,
  humanCalls,
  whoseAgent,
  whyNotResumed,
  closedForGood,
];
