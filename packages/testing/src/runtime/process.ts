import {
  DEFAULT_LIMITS,
  type AgentConfig,
  type AgentHooks,
  type AgentRegistryLike,
  type Clock,
  type CommitPlan,
  type Databases,
  type EngineLimits,
  type FullStreamManager,
  type LLMAdapter,
  type Logger,
  type Operations,
  type SessionRef,
  type SessionStore,
} from '@helix-agents/core';
import { InjectedFaultError, type StoreFaultHook } from '../faulty-store.ts';
import type { RuntimeExecutor, RuntimeUnderTest } from './harness.ts';
import type { ProcessLife } from './process-life.ts';
import type { SkipClock } from './skip-clock.ts';

export const LEASE_MS = 15_000;

export interface ProcessOptions {
  readonly model: LLMAdapter;
  /** Found by name after a restart. */
  readonly agents: readonly AgentConfig[];
  /** Where they are found instead. */
  readonly registry?: AgentRegistryLike;
  readonly limits?: Partial<EngineLimits>;
  /** Asked before each call of a store; may take its time. */
  readonly before?: StoreFaultHook;
  /** Sessions whose own database fails for this process: every read there, every write. May change meanwhile. */
  readonly down?: ReadonlySet<string>;
  /** Told when a call came back, with a reply or an error, before this process hears of it. */
  readonly after?: (method: keyof SessionStore, plan?: CommitPlan) => unknown;
  readonly wrapOperations?: (operations: Operations) => Operations;
  /** Of the executor: they fire first, for every agent it drives. */
  readonly hooks?: AgentHooks;
  readonly describeError?: (code: string) => string;
  /** A clock that goes wrong. Default: the world's. */
  readonly clock?: Clock;
}

export interface LoggedEvent {
  readonly level: keyof Logger;
  readonly name: string;
  readonly data: object;
}

/** An executor that can be stopped as a process can. */
export interface Process {
  readonly executor: RuntimeExecutor;
  /** Another executor that knows nothing of what the first one did, as after a restart. What it logs is added. */
  restarted(): RuntimeExecutor;
  /** Events it logged, by name. */
  readonly log: readonly string[];
  /** The same with levels and fields. */
  readonly events: readonly LoggedEvent[];
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
  const log: string[] = [];
  const events: LoggedEvent[] = [];
  const { registry = byName(options.agents), hooks, describeError } = options;
  const newExecutor = (): RuntimeExecutor => {
    const databases = behind(line, world.databases, options);
    return world.newExecutor({
      stateStore: { sessions: databases.of({ rootId: '', sessionId: '' }), index: world.index },
      databases,
      streamManager: streamsBehind(line, world.streams),
      usageStore: world.usage,
      llmAdapter: options.model,
      agentRegistry: registry,
      clock: options.clock ?? clock,
      leaseMs: LEASE_MS,
      limits: { ...DEFAULT_LIMITS, pollMs: 5, ...options.limits },
      logger: keptIn(log, events),
      life: line,
      wrapOperations: options.wrapOperations ?? ((operations) => operations),
      ...(hooks ? { hooks } : {}),
      ...(describeError ? { describeError } : {}),
    });
  };
  return {
    executor: newExecutor(),
    restarted: newExecutor,
    log,
    events,
    kill: () => line.cut(),
    pause: () => line.hold(),
    wake: () => line.release(),
  };
}

function byName(agents: readonly AgentConfig[]): AgentRegistryLike {
  return Object.fromEntries(agents.map((agent) => [agent.name, agent]));
}

/** The way from a process to everything it stores. */
class Line implements ProcessLife {
  #held: Promise<void> | null = null;
  #release: () => void = () => {};

  get isSilent(): boolean {
    return this.#held !== null;
  }

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
      const wrapped = known.get(store) ?? storeBehind(line, store, ref, options);
      known.set(store, wrapped);
      return wrapped;
    },
  };
}

function storeBehind(
  line: Line,
  store: SessionStore,
  { sessionId }: SessionRef,
  options: ProcessOptions,
): SessionStore {
  return new Proxy(store, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== 'function') return value;
      const method = property as keyof SessionStore;
      return async (...args: unknown[]): Promise<unknown> => {
        const plan = method === 'commit' ? (args[0] as CommitPlan) : undefined;
        const fault = (await options.before?.(method, plan)) ?? 'pass';
        await line.pass();
        if (fault === 'fail-before' || options.down?.has(sessionId))
          throw new InjectedFaultError(method);
        const [reply] = await Promise.allSettled([Reflect.apply(value, target, args)]);
        await options.after?.(method, plan);
        await line.pass();
        if (fault === 'fail-after' || options.down?.has(sessionId))
          throw new InjectedFaultError(method);
        if (reply.status === 'rejected') throw reply.reason;
        return reply.value;
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

function keptIn(log: string[], events: LoggedEvent[]): Logger {
  const keep =
    (level: keyof Logger) =>
    (name: string, data: object = {}): void => {
      log.push(name);
      events.push({ level, name, data });
    };
  return { info: keep('info'), warn: keep('warn'), error: keep('error'), debug: keep('debug') };
}
