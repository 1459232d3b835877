export { JSAgentExecutor } from './js-agent-executor.ts';
export type { HostSeams, JSAgentExecutorConfig, JSAgentExecutorOptions } from './options.ts';
export type { SuperviseOptions, SweepSummary } from './recovery.ts';
export { systemClock } from './system-clock.ts';
