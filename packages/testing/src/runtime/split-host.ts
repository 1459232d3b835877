import type { StateStore, UsageStore } from '@helix-agents/core';
import type { Databases, Operations } from '@helix-agents/core/host';
import type { SessionIndex, SessionStore } from '@helix-agents/core/store';
import { faultyStore } from '../world/fault-line.ts';
import type { HostSeams } from '@helix-agents/core/host';
import { seededRandom } from '../world/random.ts';
import { splitIndex, splitUsage } from './split-index.ts';

/** One database, as a session of its own gets it. */
export interface SplitDatabase extends StateStore {
  readonly usage: UsageStore;
}

export interface SplitHostOptions {
  /** Makes an empty database. */
  newDatabase(): SplitDatabase;
  /** Decides which operations are repeated and which replies get lost. */
  readonly seed: number;
  /** How many of a hundred commits lose their reply. */
  readonly lostReplies?: number;
}

export interface SplitHost {
  readonly databases: Databases;
  readonly index: SessionIndex;
  readonly usage: UsageStore;
  /** For every executor of one world: they share the databases. */
  readonly seams: HostSeams;
}

/**
 * A host where every session has its own database, operations are repeated and replies get lost, as with Durable Objects
 * and remote agents.
 */
export function splitHost(options: SplitHostOptions): SplitHost {
  const chance = seededRandom(options.seed).next;
  const known = new Map<string, SplitDatabase>();
  const databases: Databases = {
    of({ sessionId }) {
      const found = known.get(sessionId);
      if (found) return found.sessions;
      const made = options.newDatabase();
      const sessions = losingReplies(made.sessions, chance, (options.lostReplies ?? 25) / 100);
      known.set(sessionId, { ...made, sessions });
      return sessions;
    },
  };
  return {
    databases,
    index: splitIndex(known),
    usage: splitUsage(known),
    seams: {
      databases,
      shareMemory: false,
      wrapOperations: (operations) => repeating(operations, chance),
    },
  };
}

/** Some commits are applied and then throw; the same one is let through when it is sent again. */
function losingReplies(store: SessionStore, chance: () => number, share: number): SessionStore {
  const lost = new Set<string>();
  return faultyStore(store, (method, plan) => {
    if (method !== 'commit' || !plan || lost.has(plan.commitId)) return 'pass';
    if (chance() >= share) return 'pass';
    lost.add(plan.commitId);
    return 'fail-after';
  });
}

type Repeat = <T>(work: () => Promise<T>) => Promise<T>;

function repeating(operations: Operations, chance: () => number): Operations {
  /** Its reply is lost and it is performed again. */
  const again: Repeat = async (work) => {
    if (chance() < 0.4) await work();
    return work();
  };
  /** The same, or a second attempt begins before the first is done. */
  const doubled: Repeat = async (work) => {
    if (chance() >= 0.3) return again(work);
    const [, second] = await Promise.all([work(), work()]);
    return second;
  };
  return {
    begin: (run) => doubled(() => operations.begin(run)),
    settle: (run, scope) => doubled(() => operations.settle(run, scope)),
    think: (run, scope) => again(() => operations.think(run, scope)),
    tool: (run, call, scope) => again(() => operations.tool(run, call, scope)),
    startChild: (run, index) => doubled(() => operations.startChild(run, index)),
    collectChild: (run, index) => doubled(() => operations.collectChild(run, index)),
    giveUpChild: (run, index, reason, detail) =>
      doubled(() => operations.giveUpChild(run, index, reason, detail)),
    fail: (run, failure) => again(() => operations.fail(run, failure)),
    handover: (run) => again(() => operations.handover(run)),
    end: (run) => doubled(() => operations.end(run)),
    stop: (run, reason) => again(() => operations.stop(run, reason)),
  };
}
