export { AgentRegistry, defaultAgentRegistry } from '@helix-agents/core';
export type { RunFailure, Sweeper } from '@helix-agents/core/host';
export { createAgentActivities, GenericActivities } from './activities.ts';
export type { AgentActivitiesConfig } from './activities.ts';
export { createAgentWorker } from './agent-worker.ts';
export type { AgentWorkerConfig } from './agent-worker.ts';
export { startSweepSchedule } from './sweep-schedule.ts';
export type { SweepScheduleOptions } from './sweep-schedule.ts';
export { TemporalAgentExecutor } from './temporal-agent-executor.ts';
export type { TemporalAgentExecutorConfig } from './temporal-agent-executor.ts';
export { bundleAgentWorkflow } from './workflow-bundle.ts';
export type { BundleAgentWorkflowOptions } from './workflow-bundle.ts';
export { INTERRUPT_SIGNAL_NAME } from './workflow-contract.ts';
export type {
  AgentWorkflowInput,
  AgentWorkflowResult,
  SearchAttributeNames,
  WorkflowSettings,
} from './workflow-contract.ts';
