import {
  InvalidRequestError,
  type AbortResult,
  type AgentConfig,
  type AgentExecutionHandle,
  type ExecuteOptions,
  type InferAgentOutput,
  type InputOf,
  type InterruptResult,
} from '@helix-agents/core';
import {
  checkExecutorOptions,
  EngineRuns,
  SessionExecutor,
  type EngineSeams,
  type ExecutorParts,
  type KnownKeys,
} from '@helix-agents/core/host';
import type { Client } from '@temporalio/client';
import { DEFAULT_TASK_QUEUE, HOST_TRAITS } from './defaults.ts';
import {
  DEFAULT_SETTINGS,
  type SearchAttributeNames,
  type WorkflowSettings,
} from './workflow-contract.ts';
import { WorkflowEngine } from './workflow-engine.ts';
import { workflowIdFault } from './workflow-id.ts';

export interface TemporalAgentExecutorConfig extends ExecutorParts {
  /** A connected client of Temporal; yours to close. */
  readonly client: Client;
  /** The workers' queue. Default `helix-agents`. */
  readonly taskQueue?: string;
  /** Under which name the workers know `agentWorkflow`. Default `agentWorkflow`. */
  readonly workflowName?: string;
  /** First part of every workflow id. Default `agent`. */
  readonly workflowIdPrefix?: string;
  /** How long the parts of a run may take. */
  readonly settings?: Partial<WorkflowSettings>;
  /** Search attributes (Keyword) to label runs with. A namespace that does not know them has runs without. Default: none. */
  readonly searchAttributes?: SearchAttributeNames;
  readonly seams?: Pick<EngineSeams, 'databases' | 'directory'>;
}

const OWN_OPTIONS: KnownKeys<Omit<TemporalAgentExecutorConfig, keyof ExecutorParts>> = {
  client: true,
  taskQueue: true,
  workflowName: true,
  workflowIdPrefix: true,
  settings: true,
  searchAttributes: true,
  seams: true,
};

/**
 * Runs agents on Temporal. This process claims sessions and starts workflows; workers (`createAgentWorker`) do the rest.
 * At a human boundary the workflow ends, and `resume` starts a new one.
 *
 * @example
 * const client = new Client({ connection: await Connection.connect() });
 * const executor = new TemporalAgentExecutor({ client, stateStore, streamManager, agentRegistry });
 * const handle = await executor.execute(agent, 'Hello');
 * const result = await handle.result();
 */
export class TemporalAgentExecutor extends SessionExecutor<EngineRuns> {
  readonly #prefix: string;

  constructor(config: TemporalAgentExecutorConfig) {
    checkExecutorOptions('TemporalAgentExecutor', config, OWN_OPTIONS);
    const { client, seams, workflowIdPrefix: prefix = 'agent' } = config;
    super(config, {
      ...HOST_TRAITS,
      databases: seams?.databases,
      directory: seams?.directory,
      runsElsewhere: true,
      createRuns: (ctx) =>
        new EngineRuns(
          ctx,
          new WorkflowEngine(ctx.logger, {
            client,
            prefix,
            taskQueue: config.taskQueue ?? DEFAULT_TASK_QUEUE,
            workflowName: config.workflowName ?? 'agentWorkflow',
            settings: { ...DEFAULT_SETTINGS, ...config.settings },
            searchAttributes: config.searchAttributes ?? {},
          }),
        ),
    });
    this.#prefix = prefix;
  }

  override async execute<Agent extends AgentConfig>(
    agent: Agent,
    input: InputOf<Agent>,
    options: ExecuteOptions = {},
  ): Promise<AgentExecutionHandle<InferAgentOutput<Agent>>> {
    const fault = workflowIdFault(this.#prefix, agent?.name ?? '', options?.sessionId ?? '');
    if (fault) throw new InvalidRequestError([{ path: 'sessionId', message: fault }]);
    return super.execute(agent, input, options);
  }

  /** `interrupt` by its older name. */
  interruptAgent(sessionId: string, reason?: string): Promise<InterruptResult> {
    return this.interrupt(sessionId, reason);
  }

  /** `abort` by its older name. */
  abortAgent(sessionId: string, reason?: string): Promise<AbortResult> {
    return this.abort(sessionId, reason);
  }
}
