import {
  canListAll,
  collectAgents,
  listAgents,
  resolveAgent,
  type AgentRegistryLike,
} from '../define/resolve-agent.ts';
import type { AgentConfig, Durability } from '../define/types.ts';
import type { AgentHooks } from '../hooks/types.ts';
import type { SessionRow } from '../store/rows.ts';

export interface RunOverrides {
  readonly durability?: Durability | undefined;
  readonly hooks: readonly AgentHooks[];
}

/**
 * Agents this process knows: those of the registry, and those handed to `execute` or `resume` with everything they can
 * call. After a restart only the registry is left.
 */
export class AgentDirectory {
  readonly #registry: AgentRegistryLike | undefined;
  readonly #seen = new Map<string, AgentConfig>();
  readonly #perRun = new Map<string, RunOverrides>();

  constructor(registry?: AgentRegistryLike) {
    this.#registry = registry;
  }

  remember(agent: AgentConfig): void {
    for (const [type, found] of collectAgents(agent)) this.#seen.set(type, found);
  }

  /** What one `execute` call asked for, until its run ends. */
  override(sessionId: string, overrides: RunOverrides): void {
    this.#perRun.set(sessionId, overrides);
  }

  forget(sessionId: string): void {
    this.#perRun.delete(sessionId);
  }

  find(
    session: Pick<SessionRow, 'agentType' | 'sessionId' | 'runId' | 'userId'>,
  ): AgentConfig | undefined {
    const agent = this.#seen.get(session.agentType) ?? this.#fromRegistry(session);
    const durability = this.#perRun.get(session.sessionId)?.durability;
    return agent && durability ? { ...agent, durability } : agent;
  }

  /** Whether an agent that can be found here has a tool that checks results. Those that cannot be listed may have one. */
  mayCheckResults(): boolean {
    for (const agent of this.#seen.values()) if (checksResults(agent)) return true;
    if (!this.#registry) return false;
    return !canListAll(this.#registry) || listAgents(this.#registry).some(checksResults);
  }

  /** Hooks handed to the `execute` call of this session's run. */
  hooksOf(sessionId: string): readonly AgentHooks[] {
    return this.#perRun.get(sessionId)?.hooks ?? [];
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

const checking = new WeakMap<AgentConfig, boolean>();

/** Looked at once for each agent, with all it can call. */
function checksResults(agent: AgentConfig): boolean {
  const known = checking.get(agent);
  if (known !== undefined) return known;
  const agents = [...collectAgents(agent).values()];
  const found = agents.some(({ tools = [] }) => tools.some((tool) => tool.outputSchema));
  checking.set(agent, found);
  return found;
}
