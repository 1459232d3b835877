import {
  collectAgents,
  listAgents,
  resolveAgent,
  type AgentRegistryLike,
} from '../define/resolve-agent.ts';
import type { AgentConfig } from '../define/types.ts';
import type { SessionRow } from '../store/rows.ts';

/**
 * Agents this process knows: those of the registry, and those handed to `execute` or `resume` with everything they can
 * call. After a restart only the registry is left.
 */
export class AgentDirectory {
  readonly #registry: AgentRegistryLike | undefined;
  readonly #seen = new Map<string, AgentConfig>();
  readonly #perSession = new Map<string, AgentConfig>();

  constructor(registry?: AgentRegistryLike) {
    this.#registry = registry;
  }

  remember(agent: AgentConfig): void {
    for (const [type, found] of collectAgents(agent)) this.#seen.set(type, found);
  }

  /** A variant of the agent for the runs of one session, until `forget`. */
  override(sessionId: string, agent: AgentConfig): void {
    this.#perSession.set(sessionId, agent);
  }

  forget(sessionId: string): void {
    this.#perSession.delete(sessionId);
  }

  find(
    session: Pick<SessionRow, 'agentType' | 'sessionId' | 'runId' | 'userId'>,
  ): AgentConfig | undefined {
    const own = this.#perSession.get(session.sessionId);
    if (own) return own;
    return this.#seen.get(session.agentType) ?? this.#fromRegistry(session);
  }

  /** By its own name, or as a sub-agent of an agent that is registered. */
  #fromRegistry(
    session: Pick<SessionRow, 'agentType' | 'sessionId' | 'runId' | 'userId'>,
  ): AgentConfig | undefined {
    if (!this.#registry) return undefined;
    const { agentType, sessionId, runId, userId } = session;
    const context = { env: undefined, sessionId, runId, ...(userId === null ? {} : { userId }) };
    const agent = resolveAgent(this.#registry, agentType, context);
    if (agent) return agent;
    for (const registered of listAgents(this.#registry)) {
      const found = collectAgents(registered).get(agentType);
      if (found) return found;
    }
    return undefined;
  }
}
