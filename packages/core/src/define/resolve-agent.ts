import type { AgentFactoryContext, AgentRegistry } from './agent-registry.ts';
import type { AgentConfig } from './types.ts';

export type AgentRegistryLike =
  | AgentRegistry
  | { readonly [type: string]: AgentConfig }
  | ReadonlyMap<string, AgentConfig>
  | ((type: string) => AgentConfig | undefined);

/** An agent by its type, in whatever form agents were handed in. */
export function resolveAgent(
  agents: AgentRegistryLike,
  type: string,
  context: AgentFactoryContext = { env: undefined, sessionId: '', runId: '' },
): AgentConfig | undefined {
  if (typeof agents === 'function') return agents(type);
  if (isRegistry(agents)) return agents.has(type) ? agents.resolve(type, context) : undefined;
  if (isMap(agents)) return agents.get(type) ?? findByName(agents.values(), type);
  return Object.hasOwn(agents, type) ? agents[type] : findByName(Object.values(agents), type);
}

/** An agent and all agents it can call, by type. */
export function collectAgents(agent: AgentConfig): Map<string, AgentConfig> {
  const found = new Map<string, AgentConfig>();
  const waiting = [agent];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (found.has(next.name)) continue;
    found.set(next.name, next);
    for (const tool of next.tools ?? []) if (tool.subAgent) waiting.push(tool.subAgent.agent);
  }
  return found;
}

/** The agents that can be listed: those behind a function or a factory cannot. */
export function listAgents(agents: AgentRegistryLike): readonly AgentConfig[] {
  if (typeof agents === 'function') return [];
  if (isRegistry(agents)) return agents.list();
  return isMap(agents) ? [...agents.values()] : Object.values(agents);
}

/** None is behind a function or a factory. */
export function canListAll(agents: AgentRegistryLike): boolean {
  if (typeof agents === 'function') return false;
  return !isRegistry(agents) || agents.getRegisteredTypes().length === agents.list().length;
}

function findByName(agents: Iterable<AgentConfig>, type: string): AgentConfig | undefined {
  for (const agent of agents) if (agent.name === type) return agent;
  return undefined;
}

function isRegistry(agents: object): agents is AgentRegistry {
  return typeof Reflect.get(agents, 'resolve') === 'function';
}

function isMap(agents: object): agents is ReadonlyMap<string, AgentConfig> {
  return typeof Reflect.get(agents, 'get') === 'function';
}
