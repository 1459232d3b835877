import {
  DEFAULT_LIMITS,
  type AgentConfig,
  type CommitPlan,
  type Databases,
  type EngineLimits,
  type FullStreamManager,
  type LLMAdapter,
  type Logger,
  type Operations,
  type SessionStore,
} from '@helix-agents/core';
import { InjectedFaultError, type StoreFaultHook } from '../faulty-store.ts';
import type { RuntimeExecutor, RuntimeUnderTest } from './harness.ts';
import type { SkipClock } from './skip-clock.ts';

export const LEASE_MS = 15_000;

export interface ProcessOptions {
  readonly model: LLMAdapter;
  /** Found by name after a restart. */
  readonly agents: readonly AgentConfig[];
  readonly limits?: Partial<EngineLimits>;
  /** Asked before each call of a store; may take its time. */
  readonly before?: StoreFaultHook;
  /** Told when a call came back, with a reply or an error, before this process hears of it. */
  readonly after?: (method: keyof SessionStore, plan?: CommitPlan) => unknown;
  readonly wrapOperations?: (operations: Operations) => Operations;
}

/** An executor that can be stopped as a process can. */
export interface Process {
  readonly executor: RuntimeExecutor;
  /** Events it logged, by name. */
  readonly log: readonly string[];
  /** Nothing of it reaches a store or a stream any more. */
  kill(): void;
  /** Nothing of it goes on until `wake`: what it decided before is sent late. */
  pause(): void;
  wake(): void;
}

export function startProcess(
  world: RuntimeUnderTest,
  clock: SkipClock,
  options: ProcessOptions,
): Process {
  const line = new Line();
  const databases = behind(line, world.databases, options);
  const log: string[] = [];
  const executor = world.newExecutor({
    stateStore: { sessions: databases.of({ rootId: '', sessionId: '' }), index: world.index },
    databases,
    streamManager: streamsBehind(line, world.streams),
    usageStore: world.usage,
    llmAdapter: options.model,
    agentRegistry: Object.fromEntries(options.agents.map((agent) => [agent.name, agent])),
    clock,
    leaseMs: LEASE_MS,
    limits: { ...DEFAULT_LIMITS, pollMs: 5, ...options.limits },
    logger: keptIn(log),
    wrapOperations: options.wrapOperations ?? ((operations) => operations),
  });
  return {
    executor,
    log,
    kill: () => line.cut(),
    pause: () => line.hold(),
    wake: () => line.release(),
  };
}

/** The way from a process to everything it stores. */
class Line {
  #held: Promise<void> | null = null;
  #release: () => void = () => {};

  async pass(): Promise<void> {
    while (this.#held) await this.#held;
  }

  hold(): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held = promise;
    this.#release = resolve;
  }

  release(): void {
    this.#held = null;
    this.#release();
  }

  cut(): void {
    this.#held = new Promise(() => {});
  }
}

/** Two sessions share a database exactly when they did before. */
function behind(line: Line, databases: Databases, options: ProcessOptions): Databases {
  const known = new WeakMap<SessionStore, SessionStore>();
  return {
    of(ref) {
      const store = databases.of(ref);
      const wrapped = known.get(store) ?? storeBehind(line, store, options);
      known.set(store, wrapped);
      return wrapped;
    },
  };
}

function storeBehind(line: Line, store: SessionStore, options: ProcessOptions): SessionStore {
  return new Proxy(store, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== 'function') return value;
      const method = property as keyof SessionStore;
      return async (...args: unknown[]): Promise<unknown> => {
        const plan = method === 'commit' ? (args[0] as CommitPlan) : undefined;
        const fault = (await options.before?.(method, plan)) ?? 'pass';
        await line.pass();
        if (fault === 'fail-before') throw new InjectedFaultError(method);
        try {
          return await Reflect.apply(value, target, args);
        } finally {
          await options.after?.(method, plan);
          await line.pass();
          if (fault === 'fail-after') throw new InjectedFaultError(method);
        }
      };
    },
  });
}

function streamsBehind(line: Line, streams: FullStreamManager): FullStreamManager {
  return new Proxy(streams, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== 'function') return value;
      return async (...args: unknown[]): Promise<unknown> => {
        await line.pass();
        return Reflect.apply(value, target, args);
      };
    },
  });
}

function keptIn(log: string[]): Logger {
  const keep = (message: string): void => void log.push(message);
  return { info: keep, warn: keep, error: keep, debug: keep };
}
