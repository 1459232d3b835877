import type { Clock } from '@helix-agents/core';
import { AgentDirectory, sleep } from '@helix-agents/core/host';
import type {
  ExecutorParts,
  ExecutorUnderTest,
  ProcessLife,
  TestWorld,
} from '@helix-agents/testing';
import { ApplicationFailure, Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { createAgentActivities, TemporalAgentExecutor } from '../src/index.ts';
import { isRecording, recordGolden } from './golden-files.ts';
import type { TemporalSite } from './temporal-site.ts';

/** Silent for this long, by the scenario's clock, a process is dead to Temporal: as the lease of other hosts. */
const HEARTBEAT_MS = 15_000;

type Activities = Record<string, (...args: readonly unknown[]) => Promise<unknown>>;

interface SkipClock extends Clock {
  skip(ms: number): Promise<void>;
}

/** Of a process that nobody stops. */
const ALIVE: ProcessLife = { isSilent: false, pass: async () => {} };

interface TestProcess {
  readonly clock: Clock;
  readonly life: ProcessLife;
  readonly activities: Activities;
}

type Stores = Omit<TestWorld, 'start' | 'close'>;

/** The processes of one scenario: each is an executor and a worker at once, on one real server. */
export class TemporalWorld {
  readonly prefix: string = `w${crypto.randomUUID()}`;
  /** Ids of the workflows that its executors started. */
  readonly workflowIds: Set<string> = new Set();
  readonly #site: TemporalSite;
  readonly #title: string;
  readonly #processes: TestProcess[] = [];
  #clock: SkipClock | null = null;
  readonly #skips: { readonly at: number; readonly ms: number }[] = [];
  readonly #starters = new Map<string, TestProcess>();
  readonly #ended = new AbortController();

  constructor(site: TemporalSite, title: string) {
    this.#site = site;
    this.#title = title;
    site.worlds.set(this.prefix, this);
  }

  over(stores: Stores): TestWorld & { close(): Promise<void> } {
    return {
      ...stores,
      start: (parts) => this.#newProcess(parts),
      close: () => this.#close(),
    };
  }

  async #close(): Promise<void> {
    if (isRecording) await recordGolden(this.#site.client, this.#title, this.workflowIds);
    this.#ended.abort();
    this.#site.worlds.delete(this.prefix);
  }

  #newProcess({ seams, leaseMs: _lease, ...parts }: ExecutorParts): ExecutorUnderTest {
    const { databases, wrapOperations, life = ALIVE } = seams;
    const { agentRegistry, clock } = parts;
    const directory = new AgentDirectory(agentRegistry);
    const activities = createAgentActivities({
      ...parts,
      seams: {
        directory,
        ...(databases ? { databases } : {}),
        ...(wrapOperations ? { wrapOperations } : {}),
      },
    });
    const process: TestProcess = { clock, life, activities: activities as unknown as Activities };
    this.#noteSkips(clock);
    this.#processes.push(process);
    const executor = new TemporalAgentExecutor({
      ...parts,
      client: this.#clientOf(process),
      taskQueue: this.#site.taskQueue,
      workflowIdPrefix: this.prefix,
      settings: { maxAttempts: 4, firstRetryMs: 10, heartbeatTimeoutMs: 30_000 },
      seams: { directory, ...(databases ? { databases } : {}) },
    });
    return Object.assign(executor, { shutdown: async () => {} });
  }

  /** Remembers who started what: like a worker with a warm cache, that process is asked first. */
  #clientOf(process: TestProcess): Client {
    const { workflow } = this.#site.client;
    const start: typeof workflow.start = async (type, options) => {
      await process.life.pass();
      const [{ run }] = (options as unknown as { args: [{ run: { rootId: string } }] }).args;
      this.#starters.set(run.rootId, process);
      this.workflowIds.add(options.workflowId);
      return workflow.start(type, options);
    };
    return {
      workflow: { start, getHandle: workflow.getHandle.bind(workflow) },
      withAbortSignal: this.#site.client.withAbortSignal.bind(this.#site.client),
    } as unknown as Client;
  }

  async perform(name: string, args: readonly unknown[]): Promise<unknown> {
    const { info, cancellationSignal } = Context.current();
    this.workflowIds.add(info.workflowExecution?.workflowId ?? '');
    if (name === 'sleepByClock') {
      const ms = this.#leftOf(args[0] as number, info.scheduledTimestampMs);
      return this.#sleep(ms, cancellationSignal);
    }
    const [{ rootId }] = args as [{ rootId: string }];
    const process = await this.#pick(rootId);
    const watch = this.#untilDead(process);
    try {
      const work = process.activities[name] as (...given: readonly unknown[]) => Promise<unknown>;
      return await Promise.race([work(...args), watch.dead]);
    } finally {
      watch.stop();
    }
  }

  /** Time that was skipped since the workflow asked counts, although nobody slept yet. */
  #leftOf(ms: number, askedAt: number): number {
    const skipped = this.#skips.filter(({ at }) => at >= askedAt);
    return Math.max(0, ms - skipped.reduce((sum, skip) => sum + skip.ms, 0));
  }

  async #sleep(ms: number, signal: AbortSignal): Promise<void> {
    const { heartbeat } = Context.current();
    const beat = setInterval(() => heartbeat(), 100);
    const over = AbortSignal.any([signal, this.#ended.signal]);
    await sleep(this.#clock as Clock, ms, over).finally(() => clearInterval(beat));
    over.throwIfAborted();
  }

  /** Of the scenario's own clock; some processes have one that is wrong. */
  #noteSkips(clock: Clock | SkipClock): void {
    if (this.#clock || !('skip' in clock)) return;
    this.#clock = clock;
    const skip = clock.skip.bind(clock);
    clock.skip = (ms) => {
      this.#skips.push({ at: Date.now(), ms });
      return skip(ms);
    };
  }

  async #pick(rootId: string): Promise<TestProcess> {
    while (!this.#ended.signal.aborted) {
      const starter = this.#starters.get(rootId);
      if (starter && !starter.life.isSilent) return starter;
      const other = this.#processes.findLast(({ life }) => !life.isSilent);
      if (other) return other;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    throw ApplicationFailure.nonRetryable('the world has ended');
  }

  /** What the server does when heartbeats stay away, by the scenario's clock. */
  #untilDead({ clock, life }: TestProcess): { readonly dead: Promise<never>; stop(): void } {
    const { promise: dead, reject } = Promise.withResolvers<never>();
    dead.catch(() => undefined);
    let cancel = (): void => {};
    const look = (): void => {
      if (life.isSilent) reject(ApplicationFailure.retryable('heartbeat timeout'));
      else cancel = clock.setTimer(HEARTBEAT_MS, look);
    };
    cancel = clock.setTimer(HEARTBEAT_MS, look);
    const end = (): void => reject(ApplicationFailure.nonRetryable('the world has ended'));
    this.#ended.signal.addEventListener('abort', end);
    return {
      dead,
      stop: () => {
        cancel();
        this.#ended.signal.removeEventListener('abort', end);
      },
    };
  }
}
