import { errorMessage, HelixError, type SessionRow } from '@helix-agents/core';
import {
  assertSmall,
  checkEngineRun,
  untilEngineRunEnds,
  type EngineContext,
  type HostedRuns,
  type LoopRun,
} from '@helix-agents/core/host';
import {
  isGrpcServiceError,
  ServiceError,
  WorkflowExecutionAlreadyStartedError,
  type Client,
  type WorkflowIdReusePolicy,
} from '@temporalio/client';
import type {
  AgentWorkflowInput,
  SearchAttributeNames,
  WorkflowSettings,
} from './workflow-contract.ts';
import { describeRun } from './workflow/run-labels.ts';
import { workflowId } from './workflow-id.ts';
import { workflowState } from './workflow-state.ts';

export interface WorkflowRunsOptions {
  readonly client: Client;
  readonly taskQueue: string;
  readonly workflowName: string;
  readonly prefix: string;
  readonly settings: WorkflowSettings;
  readonly searchAttributes: SearchAttributeNames;
}

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
      const state = await workflowState(this.#options.client, this.#options.prefix, run);
      if (state === 'none') await this.#startAs(run, 'ALLOW_DUPLICATE');
    } catch (error) {
      throw new HelixError({
        code: 'run_not_started',
        message: `Session ${run.sessionId} is claimed, but Temporal did not start its workflow: ${errorMessage(error)}. Resume it, or let a sweep, when Temporal is reachable.`,
        cause: error,
      });
    }
  }

  /** While it runs a second start finds it. False when the id is used up. */
  async #startAs(
    run: LoopRun,
    reuse: WorkflowIdReusePolicy,
    searchAttributes: SearchAttributeNames = this.#options.searchAttributes,
  ): Promise<boolean> {
    const { client, taskQueue, workflowName, prefix, settings } = this.#options;
    const input: AgentWorkflowInput = { run, prefix, settings, searchAttributes };
    assertSmall('the input of a workflow', input);
    try {
      await client.workflow.start(workflowName, {
        ...describeRun(run, searchAttributes),
        args: [input],
        taskQueue,
        workflowId: workflowId(prefix, run),
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowIdReusePolicy: reuse,
      });
      return true;
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
      const names = Object.values(searchAttributes);
      if (!isRefusedArgument(error) || names.length === 0) throw error;
      // A namespace without the search attributes: a run that is harder to find is better than none.
      const isStarted = await this.#startAs(run, reuse, {});
      this.#ctx.logger.warn('temporal.search_attributes_refused', {
        sessionId: run.sessionId,
        searchAttributes: names,
        error: errorMessage(error),
        hint: 'Register them in the namespace as Keyword: temporal operator search-attribute create',
      });
      return isStarted;
    }
  }

  async driveToEnd(run: LoopRun): Promise<void> {
    await this.start(run);
    await this.untilEnd(run);
  }

  /** Temporal drives them all. */
  readonly local = (): null => null;
  readonly isDriving = (): boolean => false;

  untilEnd(run: LoopRun): Promise<void> {
    const { client, prefix } = this.#options;
    const handle = client.workflow.getHandle(workflowId(prefix, run));
    return untilEngineRunEnds(this.#ctx, run, (over) =>
      client.withAbortSignal(over, () => handle.result()),
    );
  }

  /** Activities look at the store by themselves. */
  notify(): void {}

  /** Workers begin and stop by themselves. */
  assertOpen(): void {}

  checkLiveness(session: SessionRow): Promise<SessionRow> {
    return checkEngineRun(this.#ctx, session, (row) => this.#isAlive(row));
  }

  /** A server that cannot be asked says nothing against its runs. */
  async #isAlive(session: SessionRow): Promise<boolean> {
    const { client, prefix } = this.#options;
    try {
      return (await workflowState(client, prefix, session)) === 'running';
    } catch (error) {
      const { sessionId } = session;
      this.#ctx.logger.warn('temporal.describe_failed', { sessionId, error: String(error) });
      return true;
    }
  }
}

/** gRPC's INVALID_ARGUMENT. */
const INVALID_ARGUMENT = 3;

function isRefusedArgument(error: unknown): boolean {
  const cause = error instanceof ServiceError ? error.cause : error;
  return isGrpcServiceError(cause) && cause.code === INVALID_ARGUMENT;
}
