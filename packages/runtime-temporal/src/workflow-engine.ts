import { errorMessage, type Logger, type SessionRow } from '@helix-agents/core';
import { assertSmall, type LoopRun, type RunEngine } from '@helix-agents/core/host';
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

export interface WorkflowEngineOptions {
  readonly client: Client;
  readonly taskQueue: string;
  readonly workflowName: string;
  readonly prefix: string;
  readonly settings: WorkflowSettings;
  readonly searchAttributes: SearchAttributeNames;
}

/** Temporal: a claimed run is a workflow. */
export class WorkflowEngine implements RunEngine {
  readonly name = 'Temporal';
  readonly #logger: Logger;
  readonly #options: WorkflowEngineOptions;

  constructor(logger: Logger, options: WorkflowEngineOptions) {
    this.#logger = logger;
    this.#options = options;
  }

  async start(run: LoopRun): Promise<void> {
    if (await this.#startAs(run, 'REJECT_DUPLICATE')) return;
    // The id was used before: by this very run, or by a session of this id that was deleted since.
    const state = await workflowState(this.#options.client, this.#options.prefix, run);
    if (state === 'none') await this.#startAs(run, 'ALLOW_DUPLICATE');
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
      this.#logger.warn('temporal.search_attributes_refused', {
        sessionId: run.sessionId,
        searchAttributes: names,
        error: errorMessage(error),
        hint: 'Register them in the namespace as Keyword: temporal operator search-attribute create',
      });
      return isStarted;
    }
  }

  untilEnd(run: LoopRun, over: AbortSignal): Promise<unknown> {
    const { client, prefix } = this.#options;
    const handle = client.workflow.getHandle(workflowId(prefix, run));
    return client.withAbortSignal(over, () => handle.result());
  }

  readonly isAlive = async (session: SessionRow): Promise<boolean> => {
    const { client, prefix } = this.#options;
    return (await workflowState(client, prefix, session)) === 'running';
  };
}

/** gRPC's INVALID_ARGUMENT. */
const INVALID_ARGUMENT = 3;

function isRefusedArgument(error: unknown): boolean {
  const cause = error instanceof ServiceError ? error.cause : error;
  return isGrpcServiceError(cause) && cause.code === INVALID_ARGUMENT;
}
