import type { AgentExecutor, CallOptions } from '@helix-agents/core';

type Method = (...given: unknown[]) => unknown;

/** The position of the options among the arguments of each call that logs; `resume` may be called without the agent. */
const OPTIONS_AT: {
  readonly [Call in keyof AgentExecutor]?: (given: readonly unknown[]) => number;
} = {
  execute: () => 2,
  resume: ([target]) => (isAgent(target) ? 2 : 1),
  submitToolResult: () => 1,
  cancelOpenCall: () => 1,
  interrupt: () => 2,
  abort: () => 2,
};

/** The same executor; its log lines about calls made through this one carry the name of this service. */
export function forService(
  executor: AgentExecutor,
  serviceName: string | undefined,
): AgentExecutor {
  if (serviceName === undefined) return executor;
  const own: CallOptions = { serviceName };
  return new Proxy(executor, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      const at = OPTIONS_AT[name as keyof AgentExecutor];
      if (!at) return (method as Method).bind(target);
      return (...given: unknown[]) => {
        const index = at(given);
        const before = Array.from({ length: index }, (_, position) => given[position]);
        const options = { ...own, ...(given[index] as CallOptions | undefined) };
        return (method as Method).call(target, ...before, options);
      };
    },
  });
}

function isAgent(target: unknown): boolean {
  return typeof target === 'object' && target !== null && 'systemPrompt' in target;
}
