import { AgentRegistry, type AgentConfig, type LLMAdapter } from '@helix-agents/core';
import { JSAgentExecutor, type JSAgentExecutorOptions } from '@helix-agents/runtime-js';
import type { Stores } from './stores.ts';

/** An executor that finds this agent after a restart too. */
export function executorFor(
  stores: Stores,
  model: LLMAdapter,
  agent: AgentConfig,
  options: JSAgentExecutorOptions = {},
): JSAgentExecutor {
  const agentRegistry = new AgentRegistry();
  agentRegistry.register(agent);
  return new JSAgentExecutor(stores.stateStore, stores.streamManager, model, {
    ...options,
    agentRegistry,
  });
}

/**
 * Runs a turn, of a new session where none is named, to its end and insists on how it ended: a failed run must not pass for a
 * fast one.
 */
export async function runTurn(
  executor: JSAgentExecutor,
  agent: AgentConfig,
  sessionId?: string,
  expected: string = 'completed',
): Promise<void> {
  const handle = await executor.execute(agent, 'go', sessionId === undefined ? {} : { sessionId });
  const result = await handle.result();
  if (result.status !== expected) {
    throw new Error(`session ${handle.sessionId} is ${result.status}: ${JSON.stringify(result)}`);
  }
}

let sequence = 0;

export function freshId(): string {
  sequence += 1;
  return `session-${sequence}`;
}
