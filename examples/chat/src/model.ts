import { anthropic } from '@ai-sdk/anthropic';
import { openai } from '@ai-sdk/openai';
import { VercelAIAdapter } from '@helix-agents/llm-vercel';
import { anthropicCache, type LLMAdapter, type LLMConfig } from '@helix-agents/sdk';
import { scriptedModel } from './scripted-model.ts';

/** What the agents of this example think with. */
export interface ChosenModel {
  readonly adapter: LLMAdapter;
  readonly llmConfig: LLMConfig;
  /** Who answers, for people. */
  readonly description: string;
  readonly real: boolean;
}

/**
 * A real model when the environment has the key of a provider, else the scripted one. The provider packages read key
 * and address themselves: ANTHROPIC_API_KEY and ANTHROPIC_BASE_URL, or OPENAI_API_KEY and OPENAI_BASE_URL.
 */
export function chooseModel(environment: NodeJS.ProcessEnv): ChosenModel {
  const name = environment['HELIX_MODEL'];
  if (environment['ANTHROPIC_API_KEY']) {
    const model = anthropic(name ?? 'claude-sonnet-4-5');
    return real({ model, cache: anthropicCache() }, model.modelId, 'ANTHROPIC_API_KEY');
  }
  if (environment['OPENAI_API_KEY']) {
    const model = openai(name ?? 'gpt-5');
    return real({ model }, model.modelId, 'OPENAI_API_KEY');
  }
  return {
    adapter: scriptedModel,
    llmConfig: { model: 'scripted' },
    description:
      'The model is scripted, so you need no key. Set ANTHROPIC_API_KEY or OPENAI_API_KEY for a real one.',
    real: false,
  };
}

function real(llmConfig: LLMConfig, modelId: string, key: string): ChosenModel {
  return {
    adapter: new VercelAIAdapter(),
    llmConfig,
    description: `The model is ${modelId}, because ${key} is set. It decides by itself what to do.`,
    real: true,
  };
}
