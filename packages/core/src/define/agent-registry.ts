import { AgentNotFoundError, DefinitionError } from '../errors/setup-errors.ts';
import { checkAgent } from './check-agent.ts';
import type { AgentConfig } from './types.ts';

/** The environment and the session that a factory builds its agent for. */
export interface AgentFactoryContext {
  readonly env: unknown;
  readonly sessionId: string;
  readonly runId: string;
  readonly userId?: string;
}

export type AgentFactory = (context: AgentFactoryContext) => AgentConfig;

/** Agents by type, so that another process can continue a session. */
export class AgentRegistry {
  readonly #agents = new Map<string, AgentConfig>();
  readonly #factories = new Map<string, AgentFactory>();

  register(agent: AgentConfig): void {
    checkAgent(agent);
    if (this.#agents.get(agent.name) === agent) return;
    this.#refuseTaken(agent.name);
    this.#agents.set(agent.name, agent);
  }

  registerFactory(type: string, factory: AgentFactory): void {
    this.#refuseTaken(type);
    this.#factories.set(type, factory);
  }

  resolve(type: string, context: AgentFactoryContext): AgentConfig {
    const factory = this.#factories.get(type);
    if (!factory) return this.get(type);
    const agent = factory(context);
    checkAgent(agent);
    if (agent.name === type) return agent;
    throw new DefinitionError(
      `The factory of "${type}" made an agent named "${agent.name}"; type and name must be the same.`,
    );
  }

  get(type: string): AgentConfig {
    const agent = this.#agents.get(type);
    if (agent) return agent;
    throw this.#factories.has(type)
      ? new AgentNotFoundError(
          type,
          `Agent "${type}" is made by a factory; use resolve(type, context).`,
        )
      : new AgentNotFoundError(type);
  }

  has(type: string): boolean {
    return this.#agents.has(type) || this.#factories.has(type);
  }

  unregister(type: string): boolean {
    const hadAgent = this.#agents.delete(type);
    return this.#factories.delete(type) || hadAgent;
  }

  getRegisteredTypes(): string[] {
    return [...this.#agents.keys(), ...this.#factories.keys()];
  }

  /** Registered agents; those a factory makes are not among them. */
  list(): AgentConfig[] {
    return [...this.#agents.values()];
  }

  clear(): void {
    this.#agents.clear();
    this.#factories.clear();
  }

  /** Registers an agent and replaces an earlier one of this name; returns whether there was one. */
  replace(agent: AgentConfig): boolean {
    checkAgent(agent);
    if (this.#factories.has(agent.name)) {
      throw new DefinitionError(
        `Agent "${agent.name}" is registered as a factory; unregister it before replacing it.`,
      );
    }
    const replaced = this.#agents.has(agent.name);
    this.#agents.set(agent.name, agent);
    return replaced;
  }

  #refuseTaken(type: string): void {
    if (!this.has(type)) return;
    throw new DefinitionError(
      `An agent "${type}" is already registered; give this one another name, or use replace() or unregister it first.`,
    );
  }
}

export const defaultAgentRegistry: AgentRegistry = new AgentRegistry();
