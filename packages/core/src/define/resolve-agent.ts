import { DefinitionError } from '../errors/setup-errors.ts';
import type { AgentFactoryContext, AgentRegistry } from './agent-registry.ts';
import { checkAgent } from './check-agent.ts';
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

/**
 * An agent and all agents it can call, by type, each checked. Sessions say their agent by its type: where two agents of a tree share a
 * name, one would run with the tools of the other, so such a tree is refused.
 */
export function collectAgents(agent: AgentConfig): Map<string, AgentConfig> {
  const found = new Map<string, AgentConfig>();
  const waiting = [agent];
  while (waiting.length > 0) {
    const next = waiting.pop() as AgentConfig;
    checkAgent(next);
    const known = found.get(next.name);
    if (known === next) continue;
    if (known) throw twoOfOneName(`Agent "${agent.name}" is or can call`, next.name);
    found.set(next.name, next);
    for (const { subAgent } of next.tools ?? []) if (subAgent) waiting.push(subAgent.agent);
  }
  return found;
}

const trees = new WeakMap<AgentConfig, ReadonlyMap<string, AgentConfig>>();

/** The same, made once per definition: definitions do not change. */
export function treeOf(agent: AgentConfig): ReadonlyMap<string, AgentConfig> {
  let tree = trees.get(agent);
  if (!tree) trees.set(agent, (tree = collectAgents(agent)));
  return tree;
}

function twoOfOneName(owner: string, name: string): DefinitionError {
  return new DefinitionError(
    `${owner} two different agents named "${name}"; give each a name of its own, or use one object in both places.`,
  );
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
  const named = new Set<AgentConfig>();
  for (const agent of agents) if (agent.name === type) named.add(agent);
  if (named.size > 1) throw twoOfOneName('Registered are', type);
  const [only] = named;
  return only;
}

function isRegistry(agents: object): agents is AgentRegistry {
  return typeof Reflect.get(agents, 'resolve') === 'function';
}

function isMap(agents: object): agents is ReadonlyMap<string, AgentConfig> {
  return typeof Reflect.get(agents, 'get') === 'function';
}
