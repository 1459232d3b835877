import {
  checkEngineRun,
  HelixError,
  errorMessage,
  type EngineContext,
  type HostedRuns,
  type LoopRun,
  type SessionRow,
} from '@helix-agents/core';
import {
  isGrpcServiceError,
  ServiceError,
  WorkflowExecutionAlreadyStartedError,
  type Client,
} from '@temporalio/client';
import { assertSmall } from './payload-limit.ts';
import type {
  AgentWorkflowInput,
  SearchAttributeNames,
  WorkflowSettings,
} from './workflow-contract.ts';
import { describeRun } from './workflow/run-labels.ts';
import { workflowId } from './workflow-id.ts';
import { isWorkflowAlive } from './workflow-liveness.ts';

export interface WorkflowRunsOptions {
  readonly client: Client;
  readonly taskQueue: string;
  readonly workflowName: string;
  readonly prefix: string;
  readonly settings: WorkflowSettings;
  readonly searchAttributes: SearchAttributeNames;
}

type ReusePolicy = 'REJECT_DUPLICATE' | 'ALLOW_DUPLICATE';

/** How long a run that has ended in the store may take to say goodbye. */
const FAREWELL_MS = 5_000;

/** Starts claimed runs as workflows and knows from Temporal which of them are alive. */
export class WorkflowRuns implements HostedRuns {
  readonly #ctx: EngineContext;
  readonly #options: WorkflowRunsOptions;

  constructor(ctx: EngineContext, options: WorkflowRunsOptions) {
    this.#ctx = ctx;
    this.#options = options;
  }

  async start(run: LoopRun): Promise<void> {
    try {
      if (await this.#startAs(run, 'REJECT_DUPLICATE')) return;
      // The id was used before: by this very run, or by a session of this id that was deleted since.
      if (!(await this.#isOf(run))) await this.#startAs(run, 'ALLOW_DUPLICATE');
    } catch (error) {
      throw new HelixError({
        code: 'run_not_started',
        message: `Session ${run.sessionId} is claimed, but Temporal did not start its workflow: ${errorMessage(error)}. Resume it, or let a sweep, when Temporal is reachable.`,
        cause: error,
      });
    }
  }

  /** While it runs a second start finds it. False when the id is used up. */
  async #startAs(run: LoopRun, reuse: ReusePolicy): Promise<boolean> {
    const { searchAttributes } = this.#options;
    try {
      await this.#startWith(run, reuse, searchAttributes).catch((error: unknown) => {
        if (!isRefusedArgument(error) || Object.keys(searchAttributes).length === 0) throw error;
        return this.#startUnlabelled(run, reuse, error);
      });
      return true;
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
      throw error;
    }
  }

  async #startWith(run: LoopRun, reuse: ReusePolicy, labels: SearchAttributeNames): Promise<void> {
    const { client, taskQueue, workflowName, prefix, settings } = this.#options;
    const input: AgentWorkflowInput = { run, prefix, settings, searchAttributes: labels };
    assertSmall('the input of a workflow', input);
    await client.workflow.start(workflowName, {
      ...describeRun(run, labels),
      args: [input],
      taskQueue,
      workflowId: workflowId(prefix, run),
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy: reuse,
    });
  }

  /** A namespace without the search attributes: a run that is harder to find is better than none. */
  async #startUnlabelled(run: LoopRun, reuse: ReusePolicy, refused: unknown): Promise<void> {
    await this.#startWith(run, reuse, {});
    this.#ctx.logger.warn('temporal.search_attributes_refused', {
      sessionId: run.sessionId,
      searchAttributes: Object.values(this.#options.searchAttributes),
      error: errorMessage(refused),
      hint: 'Register them in the namespace as Keyword: temporal operator search-attribute create',
    });
  }

  /** Whether the newest workflow of that id is, or was, this run. */
  async #isOf(run: LoopRun): Promise<boolean> {
    const { client, prefix } = this.#options;
    const { memo } = await client.workflow.getHandle(workflowId(prefix, run)).describe();
    return memo?.['runId'] === run.runId;
  }

  async driveToEnd(run: LoopRun): Promise<void> {
    await this.start(run);
    await this.untilEnd(run);
  }

  local(): null {
    return null;
  }

  untilEnd(run: LoopRun): Promise<void> {
    const over = new AbortController();
    return Promise.race([
      this.#workflowEnd(run, over.signal),
      this.#storeEnd(run, over.signal),
    ]).finally(() => over.abort());
  }

  /** Activities look at the store by themselves. */
  notify(): void {}

  /** An engine drives them all. */
  isDriving(): boolean {
    return false;
  }

  checkLiveness(session: SessionRow): Promise<SessionRow> {
    return checkEngineRun(this.#ctx, session, (row) => this.#isAlive(row));
  }

  /** A server that cannot be asked says nothing against its runs. */
  async #isAlive(session: SessionRow): Promise<boolean> {
    const { client, prefix } = this.#options;
    try {
      return await isWorkflowAlive(client, prefix, session);
    } catch (error) {
      this.#ctx.logger.warn('temporal.describe_failed', {
        sessionId: session.sessionId,
        error: String(error),
      });
      return true;
    }
  }

  /** However it ended: what became of the run is in the store. */
  async #workflowEnd(run: LoopRun, over: AbortSignal): Promise<void> {
    const { client, prefix } = this.#options;
    const handle = client.workflow.getHandle(workflowId(prefix, run));
    await client.withAbortSignal(over, () => handle.result()).catch(() => undefined);
  }

  /** For a run that was ended from outside while no worker is there to notice. */
  async #storeEnd(run: LoopRun, over: AbortSignal): Promise<void> {
    const store = this.#ctx.databases.of(run);
    while (!over.aborted) {
      const session = await store.readSession(run);
      const isOver = session?.runId !== run.runId || session.status !== 'running';
      await realSleep(isOver ? FAREWELL_MS : FAREWELL_MS / 5, over);
      if (isOver) return;
    }
  }
}

/** gRPC's INVALID_ARGUMENT. */
const INVALID_ARGUMENT = 3;

function isRefusedArgument(error: unknown): boolean {
  const cause = error instanceof ServiceError ? error.cause : error;
  return isGrpcServiceError(cause) && cause.code === INVALID_ARGUMENT;
}

function realSleep(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
