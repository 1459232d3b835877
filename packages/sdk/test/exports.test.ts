import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** Exports of core that only authors of runtimes and stores need; they import core itself. */
const forRuntimeAuthors = new Set(
  `
  LOOP_VERSION runSession Host LoopRun PlanEntry Done Refusal LoopOutcome LoopOutcomeStatus
  SettleResult ThinkResult StartedChild ChildEnd GiveUpReason RunFailure LoopTimer LoopOperations driveRun DrivenRun EndedRun LocalDriver createOperations Operations EngineContext
  Databases OperationScope OwnerIdentity DEFAULT_LIMITS TranscriptCache StepMemory sleep frozenCopy
  createAnnouncer Announcer claimResume takeOver sweep SweepPage SweepReport watchRun RunWatch
  AgentDirectory RunStarter DescribeError streamStatusFor StreamState
  checkEvery
  createEngineContext HostTraits ExecutorOptions ExecutorParts OperationSeams SessionExecutor ExecutorHost HostedRuns
  checkEngineRun startOrAwaitChild IsRunAlive watchOperation OuterScope assertSmall fittingCalls untilEngineRunEnds
  sweepAll Sweeper SweepTotals
  callKey callKeyText isRoot parentIdOf rootRef
  callFits sessionFits createAppendWriter createLogReader LOG_PAGE LOG_PAGE_BYTES LogPage LogSource createSharedReads
  toCursor toLimit toLockMs canCarry CarriedStreams CarryingSessions StreamWrite
`.match(/\w+/g),
);

function exportsOf(name: string): string[] {
  const index = readFileSync(new URL(`../../${name}/src/index.ts`, import.meta.url), 'utf8');
  const lists = [...index.matchAll(/export (?:type )?\{([^}]*)\}/g)].map((match) => match[1] ?? '');
  return lists
    .flatMap((list) => list.split(','))
    .map((entry) => entry.trim().replace(/^type /, ''))
    .filter(Boolean);
}

it.each(['core', 'runtime-js', 'store-memory', 'store-sqlite'])(
  'exports all of %s that an application needs',
  (name) => {
    const exported = new Set(exportsOf('sdk'));
    const missing = exportsOf(name).filter(
      (entry) => !exported.has(entry) && !forRuntimeAuthors.has(entry),
    );
    expect(missing, 'add these to packages/sdk/src/index.ts, or to the list above').toEqual([]);
  },
);
