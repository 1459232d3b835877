import { treeOf } from '../define/resolve-agent.ts';
import type { AgentConfig } from '../define/types.ts';
import type { Logger } from '../logger.ts';

/** Warnings that an executor logs once: the runs continue, but perhaps not as intended. */
export class ExecutorWarnings {
  readonly #logger: Logger;
  readonly #runsElsewhere: boolean;
  readonly #seen = new WeakSet<AgentConfig>();
  #saidOfHooks = false;

  constructor(logger: Logger, runsElsewhere: boolean) {
    this.#logger = logger;
    this.#runsElsewhere = runsElsewhere;
  }

  /** `hooks` are those of one `execute` call. */
  ofRun(agent: AgentConfig, hooks: readonly object[]): void {
    if (hooks.length > 0 && this.#runsElsewhere) this.#sayOfHooks();
    if (this.#seen.has(agent)) return;
    for (const one of treeOf(agent).values()) this.#sayOfDescriptions(one);
  }

  #sayOfHooks(): void {
    if (this.#saidOfHooks) return;
    this.#saidOfHooks = true;
    this.#logger.warn('execute.hooks_stay_here', {
      message:
        'Hooks handed to execute() fire in this process only. Put them on the agent or the worker to have them fire wherever it runs.',
    });
  }

  #sayOfDescriptions(agent: AgentConfig): void {
    if (this.#seen.has(agent)) return;
    this.#seen.add(agent);
    const tools = (agent.tools ?? []).filter(({ description }) => !description?.trim());
    if (tools.length === 0) return;
    this.#logger.warn('agent.descriptions_missing', {
      agentType: agent.name,
      tools: tools.map(({ name }) => name),
      message:
        'The model knows these tools by their names alone; say what they do in `description`.',
    });
  }
}
