/** Where executors and workers meet when they are not told. */
export const DEFAULT_TASK_QUEUE = 'helix-agents';
