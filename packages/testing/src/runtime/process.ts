import {
  DEFAULT_LIMITS,
  type AgentConfig,
  type Databases,
  type EngineLimits,
  type FullStreamManager,
  type LLMAdapter,
  type Logger,
  type SessionStore,
} from '@helix-agents/core';
import { faultyStore, type StoreFaultHook } from '../faulty-store.ts';
import type { RuntimeExecutor, RuntimeUnderTest } from './harness.ts';
import type { SkipClock } from './skip-clock.ts';

export const LEASE_MS = 15_000;

export interface ProcessOptions {
  readonly model: LLMAdapter;
  /** Found by name after a restart. */
  readonly agents: readonly AgentConfig[];
  readonly limits?: Partial<EngineLimits>;
  /** Comes between this process and its stores. */
  readonly faults?: StoreFaultHook;
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
  const databases = behind(line, world.databases, options.faults);
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
function behind(line: Line, databases: Databases, faults: StoreFaultHook | undefined): Databases {
  const known = new WeakMap<SessionStore, SessionStore>();
  return {
    of(ref) {
      const store = databases.of(ref);
      const made = known.get(store);
      if (made) return made;
      const wrapped = faultyStore(store, async (method, plan) => {
        await line.pass();
        const fault = (await faults?.(method, plan)) ?? 'pass';
        await line.pass();
        return fault;
      });
      known.set(store, wrapped);
      return wrapped;
    },
  };
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
