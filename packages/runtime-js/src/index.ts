export { JSAgentExecutor } from './js-agent-executor.ts';
export type { HostSeams, JSAgentExecutorConfig, JSAgentExecutorOptions } from './options.ts';
