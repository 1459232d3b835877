import {
  runSession,
  type Host,
  type LoopRun,
  type Operations,
  type RunOutcome,
} from '@helix-agents/core';
import type { HostSeams } from './host-seams.ts';
import { throughJson } from './plain-data.ts';

/** One finished operation, as an engine keeps it. */
interface Recorded {
  readonly call: string;
  readonly result: unknown;
}

type Attempt = { readonly done: true; readonly outcome: RunOutcome } | { readonly done: false };

/**
 * A host that drops the loop after every operation and runs it again from the recorded results, as workflow engines do.
 * A loop that then asks for something else, or in another order, fails the run.
 */
export function replayHost(loop: typeof runSession = runSession): HostSeams {
  return {
    shareMemory: false,
    runLoop: (host, run) => replayLoop(loop, host, run),
    wrapOperations: checkedOperations,
  };
}

async function replayLoop(loop: typeof runSession, host: Host, run: LoopRun): Promise<RunOutcome> {
  const history: Recorded[] = [];
  for (;;) {
    const attempt = await replayOnce(loop, host, throughJson('run', run), history);
    if (attempt.done) return attempt.outcome;
  }
}

/** Plays the history and performs one operation beyond it; the loop that waits for its result is left behind. */
async function replayOnce(
  loop: typeof runSession,
  host: Host,
  run: LoopRun,
  history: Recorded[],
): Promise<Attempt> {
  let position = 0;
  let leave: (attempt: Attempt) => void = () => {};
  const left = new Promise<Attempt>((resolve) => {
    leave = resolve;
  });
  const play = async <T>(
    name: string,
    args: readonly unknown[],
    perform: () => Promise<T>,
  ): Promise<T> => {
    const call = `${name}(${JSON.stringify(args.map((value) => throughJson(name, value)))})`;
    const recorded = history[position];
    position += 1;
    if (recorded) {
      if (recorded.call === call) return structuredClone(recorded.result) as T;
      throw new Error(`Replay went another way: expected ${recorded.call}, got ${call}`);
    }
    const result = throughJson(`the result of ${name}`, await perform());
    history.push({ call, result });
    leave({ done: false });
    return new Promise<never>(() => {});
  };
  const ended = loop(replaying(host, play), run).then((outcome): Attempt => {
    if (position !== history.length) {
      throw new Error(`Replay ended after ${position} of ${history.length} operations`);
    }
    return { done: true, outcome };
  });
  return Promise.race([ended, left]);
}

type Play = <T>(name: string, args: readonly unknown[], perform: () => Promise<T>) => Promise<T>;

function replaying(host: Host, play: Play): Host {
  return {
    begin: (run) => play('begin', [run], () => host.begin(run)),
    settle: (run) => play('settle', [run], () => host.settle(run)),
    think: (run) => play('think', [run], () => host.think(run)),
    dispatch: (run, calls) => play('dispatch', [run, calls], () => host.dispatch(run, calls)),
    shouldYield: (run) => play('shouldYield', [run], () => host.shouldYield(run)),
    handover: (run) => play('handover', [run], () => host.handover(run)),
    end: (run) => play('end', [run], () => host.end(run)),
  };
}

/** What a dispatch is made of crosses an engine too. */
function checkedOperations(operations: Operations): Operations {
  return {
    ...operations,
    async tool(run, call, scope) {
      const done = await operations.tool(
        throughJson('tool', run),
        throughJson('tool', call),
        scope,
      );
      return throughJson('the result of tool', done);
    },
    async startChild(run, index) {
      return throughJson(
        'the result of startChild',
        await operations.startChild(throughJson('startChild', run), index),
      );
    },
    async collectChild(run, index) {
      return throughJson(
        'the result of collectChild',
        await operations.collectChild(throughJson('collectChild', run), index),
      );
    },
  };
}
