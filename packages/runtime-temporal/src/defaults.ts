import type { HostTraits } from '@helix-agents/core/host';

/** Where executors and workers meet when they are not told. */
export const DEFAULT_TASK_QUEUE = 'helix-agents';

/** Temporal keeps its runs alive, so there is no lease; operations run in whatever worker, so they share no memory. */
export const HOST_TRAITS: Omit<HostTraits, 'isDriving'> = {
  hostKind: 'temporal',
  leaseMs: null,
  memory: null,
};
