import { createAgentActivities, type AgentActivitiesConfig } from './activities.ts';
import type { GenericActivities as Activities } from './workflow-contract.ts';

/** The operations of core as activities. */
export type GenericActivities = Activities;

/** `new GenericActivities(config)` is `createAgentActivities(config)`. */
export const GenericActivities: new (config: AgentActivitiesConfig) => Activities = function (
  config: AgentActivitiesConfig,
): Activities {
  return createAgentActivities(config);
} as never;
