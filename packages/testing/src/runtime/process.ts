import type {
  AgentConfig,
  AgentHooks,
  AgentRegistryLike,
  Clock,
  EngineLimits,
  LLMAdapter,
  Logger,
} from '@helix-agents/core';
import { DEFAULT_LIMITS, type Operations } from '@helix-agents/core/host';
import type { CommitPlan, SessionRef, SessionStore } from '@helix-agents/core/store';
import {
  intercept,
  InjectedFaultError,
  planOf,
  wrapDatabases,
  type StoreFaultHook,
} from '../world/fault-line.ts';
import type { ProcessLife } from '../world/process-life.ts';
import type { SkipClock } from '../world/skip-clock.ts';
import { storeOf, type ExecutorUnderTest, type TestWorld } from '../world/test-world.ts';

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
  /** Called when a call has returned or thrown, before this process gets the reply. */
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
  readonly executor: ExecutorUnderTest;
  /** Another executor that knows nothing of what the first one did, as after a restart. What it logs is added. */
  restarted(): ExecutorUnderTest;
  /** Events it logged, by name. */
  readonly log: readonly string[];
  /** The same with levels and fields. */
  readonly events: readonly LoggedEvent[];
  /** No call of it reaches a store or a stream any more. */
  kill(): void;
  /** Holds every call to a store or stream until `wake`: what it decided before is sent late. */
  pause(): void;
  wake(): void;
}

export function startProcess(world: TestWorld, clock: SkipClock, options: ProcessOptions): Process {
  const line = new Line();
  const log: string[] = [];
  const events: LoggedEvent[] = [];
  const { registry = byName(options.agents), hooks, describeError, wrapOperations } = options;
  const newExecutor = (): ExecutorUnderTest => {
    const databases = wrapDatabases({ of: (ref) => storeOf(world, ref) }, (store, ref) =>
      storeBehind(line, store, ref, options),
    );
    const { index } = world.stateStore;
    return world.start({
      stateStore: { sessions: databases.of({ rootId: '', sessionId: '' }), index },
      streamManager: intercept(world.streamManager, ({ perform }) => line.pass().then(perform)),
      usageStore: world.usageStore,
      llmAdapter: options.model,
      agentRegistry: registry,
      clock: options.clock ?? clock,
      leaseMs: LEASE_MS,
      limits: { ...DEFAULT_LIMITS, pollMs: 5, ...options.limits },
      logger: keptIn(log, events),
      seams: { databases, life: line, ...(wrapOperations ? { wrapOperations } : {}) },
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

function storeBehind(
  line: Line,
  store: SessionStore,
  { sessionId }: SessionRef,
  options: ProcessOptions,
): SessionStore {
  return intercept(store, async (call) => {
    const method = call.method as keyof SessionStore;
    const plan = planOf(call);
    const fault = (await options.before?.(method, plan)) ?? 'pass';
    await line.pass();
    if (fault === 'fail-before' || options.down?.has(sessionId))
      throw new InjectedFaultError(method);
    const [reply] = await Promise.allSettled([call.perform()]);
    await options.after?.(method, plan);
    await line.pass();
    if (fault === 'fail-after' || options.down?.has(sessionId))
      throw new InjectedFaultError(method);
    if (reply.status === 'rejected') throw reply.reason;
    return reply.value;
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
