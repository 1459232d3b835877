// The crash suite is worth something only if it notices: each broken store here loses one promise, and a trial says so.
import type { CommitPlan, FullStreamManager, SessionStore } from '@helix-agents/core/store';
import { JSAgentExecutor } from '@helix-agents/runtime-js';
import {
  InMemoryStateStore,
  InMemoryStreamManager,
  InMemoryUsageStore,
} from '@helix-agents/store-memory';
import { expect, it } from 'vitest';
import type { TestCrashesOptions } from '../src/crash/harness.ts';
import type { PersonOptions } from '../src/crash/person.ts';
import type { Scenario } from '../src/crash/scenario.ts';
import { mixed } from '../src/crash/scenarios/human-calls.ts';
import { onceTool, plain } from '../src/crash/scenarios/server-tools.ts';
import { deaths, faults, pauses } from '../src/crash/trial-plans.ts';
import { runTrial, type Trial } from '../src/crash/trial.ts';

type Plans = typeof deaths;
type Change = (plan: CommitPlan) => CommitPlan;

it('the crash suite notices a store that lets a late owner write', async () => {
  const unguarded: Change = (plan) => ({ ...plan, guard: {} });
  expect(await faultsOf(plain, pauses, commitsAs(unguarded))).not.toEqual([]);
});

it('the crash suite notices a store that forgets which commit was the last', async () => {
  const nameless: Change = (plan) => ({
    ...plan,
    sessions:
      plan.sessions?.map(({ set, ...rest }) => ({ ...rest, set: { ...set, lastCommit: '' } })) ??
      [],
    insert: {
      ...plan.insert,
      sessions: plan.insert?.sessions?.map((row) => ({ ...row, lastCommit: '' })) ?? [],
    },
  });
  expect(await faultsOf(plain, faults, commitsAs(nameless))).not.toEqual([]);
});

it('the crash suite notices a store that forgets that a tool was started', async () => {
  const forgetful: Change = (plan) => {
    const journal = plan.insert?.journal?.filter((row) => row.kind !== 'start') ?? [];
    return { ...plan, insert: { ...plan.insert, journal } };
  };
  expect(await faultsOf(onceTool, deaths, commitsAs(forgetful))).not.toEqual([]);
});

it('the crash suite notices a store that tears a commit apart', async () => {
  const torn: Change = (plan) => {
    const { messages = [], ...insert } = plan.insert ?? {};
    return { ...plan, insert: { ...insert, messages: messages.slice(0, 1) } };
  };
  expect(await faultsOf(plain, deaths, commitsAs(torn), 40)).not.toEqual([]);
});

it('the crash suite notices a stream that repeats what was announced', async () => {
  const repeating = (streams: FullStreamManager): FullStreamManager =>
    over(streams, 'append', (streamId, entries) =>
      streams.append(
        streamId,
        entries.map(({ chunk }) => ({ chunk })),
      ),
    );
  const options = optionsWith((store) => store, repeating);
  const calm = await runTrial(options, mixed, { fates: [] }, null);
  expect(calm.faults.join('\n')).toContain('announced 2 times');
});

async function faultsOf(
  scenario: Scenario,
  plans: Plans,
  options: TestCrashesOptions,
  stride = 1,
): Promise<string[]> {
  const sound = optionsWith((store) => store);
  const calm = await runTrial(sound, scenario, { fates: [] }, null);
  expect(calm.faults).toEqual([]);
  const found: string[] = [];
  for (const person of plans(calm.boundaries, stride)) {
    const trial = await tell(options, scenario, person, calm);
    found.push(...trial.faults);
  }
  return found;
}

function tell(
  options: TestCrashesOptions,
  scenario: Scenario,
  person: PersonOptions,
  calm: Trial,
): Promise<Trial> {
  return runTrial(options, scenario, person, calm.story);
}

function commitsAs(change: Change): TestCrashesOptions {
  return optionsWith((store) => over(store, 'commit', (plan) => store.commit(change(plan))));
}

function optionsWith(
  breakStore: (store: SessionStore) => SessionStore,
  breakStreams: (streams: FullStreamManager) => FullStreamManager = (streams) => streams,
): TestCrashesOptions {
  return {
    name: 'broken',
    open: ({ now }) => {
      const { database, sessions, index } = new InMemoryStateStore();
      const streams = new InMemoryStreamManager({ database, now });
      const stateStore = { sessions: breakStore(sessions), index };
      return {
        stateStore,
        streamManager: breakStreams(streams),
        usageStore: new InMemoryUsageStore({ database }),
        start: (parts) => new JSAgentExecutor(parts),
        close() {},
      };
    },
  };
}

/** The same object with one method replaced. */
function over<T extends object, K extends keyof T>(target: T, method: K, replacement: T[K]): T {
  return new Proxy(target, {
    get(_, property): unknown {
      if (property === method) return replacement;
      const value: unknown = Reflect.get(target, property);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
