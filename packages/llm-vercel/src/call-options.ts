import type {
  AppliedCacheResult,
  JsonObject,
  LLMConfig,
  LLMGenerateInput,
  LLMTool,
} from '@helix-agents/core';
import type { CallOptions, SpecificationVersion } from './language-model.ts';
import type { PromptMessage } from './prompt.ts';
import { closeSchema } from './strict-schema.ts';

export function toCallOptions(
  input: LLMGenerateInput,
  version: SpecificationVersion,
  prompt: readonly PromptMessage[],
  cache: AppliedCacheResult,
): CallOptions {
  const { config, tools, abortSignal } = input;
  return {
    prompt,
    ...settings(config),
    ...(tools.length > 0 && {
      tools: tools.map((tool, index) => convertTool(tool, version, cache.toolOptions.get(index))),
      toolChoice: convertToolChoice(config.toolChoice),
    }),
    ...(config.headers && { headers: config.headers }),
    ...(config.providerOptions && { providerOptions: config.providerOptions }),
    abortSignal,
  };
}

const SETTINGS = [
  'maxOutputTokens',
  'temperature',
  'topP',
  'topK',
  'presencePenalty',
  'frequencyPenalty',
  'stopSequences',
  'seed',
] as const;

function settings(config: LLMConfig): Partial<Pick<CallOptions, (typeof SETTINGS)[number]>> {
  return Object.fromEntries(
    SETTINGS.flatMap((name) => (config[name] === undefined ? [] : [[name, config[name]]])),
  );
}

/** Specification v2 knows no strict tools: there the provider's own option has to ask for it. */
function convertTool(
  tool: LLMTool,
  version: SpecificationVersion,
  options: JsonObject | undefined,
): object {
  return {
    type: 'function',
    name: tool.name,
    description: tool.description,
    inputSchema: tool.strict ? closeSchema(tool.inputSchema) : tool.inputSchema,
    ...(version !== 'v2' && tool.strict !== undefined && { strict: tool.strict }),
    ...(options && { providerOptions: options }),
  };
}

function convertToolChoice(choice: LLMConfig['toolChoice']): object {
  return typeof choice === 'object'
    ? { type: 'tool', toolName: choice.toolName }
    : { type: choice ?? 'auto' };
}
