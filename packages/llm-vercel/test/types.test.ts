// If this fails: a model of some provider's version does not compile where a model is asked for.
import { anthropic } from '@ai-sdk/anthropic';
import { openai } from '@ai-sdk/openai';
import type { anthropic as anthropic5 } from 'ai-sdk-anthropic-5';
import type { anthropic as anthropic6 } from 'ai-sdk-anthropic-6';
import type { openai as openai5 } from 'ai-sdk-openai-5';
import type { openai as openai6 } from 'ai-sdk-openai-6';
import { expect, expectTypeOf, it } from 'vitest';
import { VercelAIAdapter, type LanguageModel } from '../src/index.ts';

it('models of all providers fit where a model is asked for', () => {
  expectTypeOf<ReturnType<typeof openai>>().toExtend<LanguageModel>();
  expectTypeOf<ReturnType<typeof openai5>>().toExtend<LanguageModel>();
  expectTypeOf<ReturnType<typeof openai6>>().toExtend<LanguageModel>();
  expectTypeOf<ReturnType<typeof anthropic>>().toExtend<LanguageModel>();
  expectTypeOf<ReturnType<typeof anthropic5>>().toExtend<LanguageModel>();
  expectTypeOf<ReturnType<typeof anthropic6>>().toExtend<LanguageModel>();
  const model = [openai('gpt-5'), anthropic('claude-sonnet-4-5')];
  expect(new VercelAIAdapter({ model })).toBeInstanceOf(VercelAIAdapter);
});
