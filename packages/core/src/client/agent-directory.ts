import { buildEffectiveTools } from '../define/effective-tools.ts';
import {
  canListAll,
  listAgents,
  resolveAgent,
  treeOf,
  type AgentRegistryLike,
} from '../define/resolve-agent.ts';
import type { AgentConfig } from '../define/types.ts';
import type { RunAgent, SessionAgents, SessionOfAgent } from '../engine/context.ts';
import type { LoopRun } from '../loop/host.ts';
import { AgentNotFoundError } from '../errors/setup-errors.ts';
import type { AgentHooks } from '../define/hooks.ts';

/** What one root runs with here. */
interface Kept {
  /** Who needs it; null where operations hold it, each for its own time. */
  readonly owner: LoopRun | null;
  readonly run: Partial<RunAgent>;
  /** What its sub-agents are found in, once somebody has looked for it. */
  agent: AgentConfig | undefined;
  /** The same as the root itself runs with it. */
  own: AgentConfig | undefined;
  holders: number;
}

/** Agents of one name that are not the same: which one a session means is not known. */
const SEVERAL = Symbol('several');

export interface AgentDirectoryOptions {
  /** False where runs take place elsewhere: nothing is kept for them here. */
  readonly keepsRuns?: boolean;
}

/**
 * Which agent a session runs with.
 *
 * 1. While a run of its root is under way here: what that run was begun with, and for sub-sessions what that agent can call.
 * 2. The registry.
 * 3. What was handed to this process under that name, if that was one object only. After a restart only the registry is left.
 *
 * One session never gets the agent of another: nothing that was handed in for one root is used for another while the registry
 * knows the name, or while it cannot be told apart. Nothing is kept for sessions that wait.
 */
export class AgentDirectory implements SessionAgents {
  readonly #registry: AgentRegistryLike | undefined;
  readonly #keepsRuns: boolean;
  readonly #kept = new Map<string, Kept>();
  readonly #seen = new Map<string, AgentConfig | typeof SEVERAL>();

  constructor(registry?: AgentRegistryLike, options: AgentDirectoryOptions = {}) {
    this.#registry = registry;
    // What is wrong with a registered agent is said at the start, not when a session needs it.
    for (const agent of registry ? listAgents(registry) : []) treeOf(agent);
    this.#keepsRuns = options.keepsRuns ?? true;
  }

  /** Notes an agent that was handed in, with all it can call, by their names. */
  remember(agent: AgentConfig): void {
    for (const [type, found] of treeOf(agent)) {
      const known = this.#seen.get(type);
      if (known !== found) this.#seen.set(type, known === undefined ? found : SEVERAL);
    }
  }

  bindRun(owner: LoopRun, run: RunAgent): void {
    if (run.isGiven) this.remember(run.agent);
    if (!this.#keepsRuns) return;
    const kept: Kept = { owner, run, agent: undefined, own: undefined, holders: 0 };
    if (run.isGiven) settleOn(kept, run.agent);
    this.#kept.set(owner.rootId, kept);
  }

  forget(run: LoopRun): void {
    const owner = this.#kept.get(run.rootId)?.owner;
    const isRoot = run.sessionId === run.rootId;
    const isOwner = owner?.runId === run.runId && owner.epoch === run.epoch;
    if (isRoot && isOwner) this.#kept.delete(run.rootId);
  }

  knowsRoot(rootId: string): boolean {
    return this.#kept.get(rootId)?.agent !== undefined;
  }

  pin(root: SessionOfAgent): () => void {
    const agent = this.find(root);
    if (!agent) return () => undefined;
    let kept = this.#kept.get(root.rootId);
    if (!kept) {
      kept = { owner: null, run: {}, agent, own: agent, holders: 0 };
      this.#kept.set(root.rootId, kept);
    }
    const held = kept;
    held.holders += 1;
    return () => {
      held.holders -= 1;
      const isLast = held.holders === 0 && held.owner === null;
      if (isLast && this.#kept.get(root.rootId) === held) this.#kept.delete(root.rootId);
    };
  }

  find(session: SessionOfAgent): AgentConfig | undefined {
    const kept = this.#kept.get(session.rootId);
    if (!kept) return this.#lookUp(session);
    if (session.sessionId === session.rootId) return kept.own ?? this.#settle(kept, session);
    return (kept.agent && treeOf(kept.agent).get(session.agentType)) ?? this.#lookUp(session);
  }

  missing({ agentType }: SessionOfAgent): AgentNotFoundError {
    if (this.#seen.get(agentType) !== SEVERAL) return new AgentNotFoundError(agentType);
    return new AgentNotFoundError(
      agentType,
      `Different agents named "${agentType}" were handed in here, and none is registered: which of them this session runs with is not known. Hand the agent to the call, or register it.`,
    );
  }

  /** Whether an agent that can be found here has a tool that checks results. Those that cannot be listed may have one. */
  mayCheckResults(): boolean {
    for (const agent of this.#seen.values())
      if (agent === SEVERAL || checksResults(agent)) return true;
    if (!this.#registry) return false;
    return !canListAll(this.#registry) || listAgents(this.#registry).some(checksResults);
  }

  /** Hooks handed to the `execute` call of this session's run. */
  hooksOf({
    rootId,
    sessionId,
  }: Pick<SessionOfAgent, 'rootId' | 'sessionId'>): readonly AgentHooks[] {
    const hooks = rootId === sessionId ? this.#kept.get(rootId)?.run.hooks : undefined;
    return hooks ?? [];
  }

  /** The registry is asked for the run itself, of which a factory may want to know; what was found before its claim stays good. */
  #settle(kept: Kept, session: SessionOfAgent): AgentConfig | undefined {
    const agent = this.#fromRegistry(session) ?? kept.run.agent;
    return agent && settleOn(kept, agent);
  }

  #lookUp(session: SessionOfAgent): AgentConfig | undefined {
    const agent = this.#fromRegistry(session);
    if (agent) return agent;
    const seen = this.#seen.get(session.agentType);
    return seen === SEVERAL ? undefined : seen;
  }

  /** By its own name, or as a sub-agent of agents that are registered, if all of them mean the same one. */
  #fromRegistry(session: SessionOfAgent): AgentConfig | undefined {
    if (!this.#registry) return undefined;
    const { agentType, sessionId, runId, userId } = session;
    const context = { env: undefined, sessionId, runId, ...(userId === null ? {} : { userId }) };
    const agent = resolveAgent(this.#registry, agentType, context);
    if (agent) {
      treeOf(agent);
      return agent;
    }
    const called = new Set(
      listAgents(this.#registry).map((registered) => treeOf(registered).get(agentType)),
    );
    called.delete(undefined);
    const [only] = called;
    return called.size === 1 ? only : undefined;
  }
}

function settleOn(kept: Kept, agent: AgentConfig): AgentConfig {
  const { durability } = kept.run;
  kept.agent = agent;
  kept.own = durability === undefined ? agent : { ...agent, durability };
  return kept.own;
}

const checking = new WeakMap<AgentConfig, boolean>();

/** Looked at once for each agent, with all it can call. */
function checksResults(agent: AgentConfig): boolean {
  const known = checking.get(agent);
  if (known !== undefined) return known;
  const agents = [...treeOf(agent).values()];
  const found = agents.some((one) => buildEffectiveTools(one).some((tool) => tool.outputSchema));
  checking.set(agent, found);
  return found;
}
