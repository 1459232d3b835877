import { anthropic } from '@ai-sdk/anthropic';
import { openai } from '@ai-sdk/openai';
import { VercelAIAdapter } from '@helix-agents/llm-vercel';
import type { LLMAdapter, LLMConfig } from '@helix-agents/sdk';
import { scriptedModel } from './scripted-model.ts';

interface ChosenModel {
  readonly adapter: LLMAdapter;
  readonly llmConfig: LLMConfig;
  /** Who answers, for people. */
  readonly description: string;
  readonly real: boolean;
}

/** The provider packages read their key and address from the environment themselves. */
const PROVIDERS = {
  ANTHROPIC_API_KEY: (name = 'claude-sonnet-4-5') => anthropic(name),
  OPENAI_API_KEY: (name = 'gpt-5') => openai(name),
};

/** A real model when there is a key for one, else the scripted one. */
export function chooseModel(environment: NodeJS.ProcessEnv): ChosenModel {
  const found = Object.entries(PROVIDERS).find(([key]) => environment[key]);
  if (!found) {
    const hint = `Set ${Object.keys(PROVIDERS).join(' or ')} for a real one.`;
    return {
      adapter: scriptedModel,
      llmConfig: { model: 'scripted' },
      description: `The model is scripted, so you need no key. ${hint}`,
      real: false,
    };
  }
  const [key, open] = found;
  const model = open(environment['HELIX_MODEL']);
  const description = `The model is ${model.modelId}, because ${key} is set.`;
  return { adapter: new VercelAIAdapter(), llmConfig: { model }, description, real: true };
}
