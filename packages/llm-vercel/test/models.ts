import { createAnthropic as anthropic7 } from '@ai-sdk/anthropic';
import { createOpenAI as openai7 } from '@ai-sdk/openai';
import {
  anthropicMessages,
  openaiChat,
  openaiResponses,
  type WireFormat,
} from '@helix-agents/testing/wire';
import { createAnthropic as anthropic5 } from 'ai-sdk-anthropic-5';
import { createAnthropic as anthropic6 } from 'ai-sdk-anthropic-6';
import { createOpenAI as openai5 } from 'ai-sdk-openai-5';
import { createOpenAI as openai6 } from 'ai-sdk-openai-6';
import type { LanguageModel } from '../src/index.ts';

export interface ModelUnderTest {
  readonly name: string;
  readonly api: 'chat' | 'responses' | 'anthropic';
  readonly version: 'v2' | 'v3' | 'v4';
  readonly format: WireFormat;
  readonly create: (baseURL: string) => LanguageModel;
}

const apiKey = 'sk-test-secret-0123456789';
const CHAT = 'gpt-4o';
const RESPONSES = 'gpt-5';
const CLAUDE = 'claude-sonnet-4-5';

/** Every real provider of every line of the AI SDK, by the specification it has. */
export const MODELS: readonly ModelUnderTest[] = [
  {
    name: 'openai chat v4',
    api: 'chat',
    version: 'v4',
    format: openaiChat,
    create: (baseURL) => openai7({ baseURL, apiKey }).chat(CHAT),
  },
  {
    name: 'openai chat v3',
    api: 'chat',
    version: 'v3',
    format: openaiChat,
    create: (baseURL) => openai6({ baseURL, apiKey }).chat(CHAT),
  },
  {
    name: 'openai chat v2',
    api: 'chat',
    version: 'v2',
    format: openaiChat,
    create: (baseURL) => openai5({ baseURL, apiKey }).chat(CHAT),
  },
  {
    name: 'openai responses v4',
    api: 'responses',
    version: 'v4',
    format: openaiResponses,
    create: (baseURL) => openai7({ baseURL, apiKey }).responses(RESPONSES),
  },
  {
    name: 'openai responses v3',
    api: 'responses',
    version: 'v3',
    format: openaiResponses,
    create: (baseURL) => openai6({ baseURL, apiKey }).responses(RESPONSES),
  },
  {
    name: 'openai responses v2',
    api: 'responses',
    version: 'v2',
    format: openaiResponses,
    create: (baseURL) => openai5({ baseURL, apiKey }).responses(RESPONSES),
  },
  {
    name: 'anthropic v4',
    api: 'anthropic',
    version: 'v4',
    format: anthropicMessages,
    create: (baseURL) => anthropic7({ baseURL, apiKey })(CLAUDE),
  },
  {
    name: 'anthropic v3',
    api: 'anthropic',
    version: 'v3',
    format: anthropicMessages,
    create: (baseURL) => anthropic6({ baseURL, apiKey })(CLAUDE),
  },
  {
    name: 'anthropic v2',
    api: 'anthropic',
    version: 'v2',
    format: anthropicMessages,
    create: (baseURL) => anthropic5({ baseURL, apiKey })(CLAUDE),
  },
];
