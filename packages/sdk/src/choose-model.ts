import {
  DefinitionError,
  type AgentConfig,
  type LLMAdapter,
  type Logger,
} from '@helix-agents/core';
import { collectAgents } from '@helix-agents/core/host';
import { VercelAIAdapter } from '@helix-agents/llm-vercel';
import type { HelixOptions } from './helix.ts';

export interface ChosenModel {
  readonly adapter: LLMAdapter;
  /** Throws if the agent, or an agent that it calls, is not well defined or has no model. */
  requireFor(agent: AgentConfig): void;
}

/** The model adapter: the one that was passed in, or one for models of AI SDK providers. */
export function chooseModel(model: HelixOptions['model'], logger: Logger): ChosenModel {
  const requireFor = (agent: AgentConfig): void => void collectAgents(agent);
  if (isAdapter(model)) return { adapter: model, requireFor };
  if (model !== undefined) {
    const adapter = new VercelAIAdapter({ model, logger });
    return { adapter, requireFor };
  }
  return { adapter: new VercelAIAdapter({ logger }), requireFor: requireOwnModels };
}

function isAdapter(model: unknown): model is LLMAdapter {
  if (typeof model !== 'object' || model === null) return false;
  return typeof Reflect.get(model, 'generateStep') === 'function';
}

function requireOwnModels(agent: AgentConfig): void {
  for (const { name, llmConfig } of collectAgents(agent).values()) {
    if (llmConfig.model !== undefined) continue;
    throw new DefinitionError(
      `Agent "${name}" has no model: give createHelix one for all agents, such as { model: openai('gpt-5') }, or this agent its own in \`llmConfig.model\`.`,
    );
  }
}
