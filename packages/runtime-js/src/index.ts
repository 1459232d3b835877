export { JSAgentExecutor } from './js-agent-executor.ts';
export type { HostSeams } from '@helix-agents/core/host';
export type { JSAgentExecutorConfig, JSAgentExecutorOptions } from './options.ts';
