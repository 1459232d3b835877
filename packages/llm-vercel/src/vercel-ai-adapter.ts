import {
  applyCacheStrategies,
  type HelixError,
  type LLMAdapter,
  type LLMGenerateInput,
  toLogger,
  type Logger,
  type StepResult,
} from '@helix-agents/core';
import { toCallOptions } from './call-options.ts';
import { PromptConverter } from './convert-prompt.ts';
import { readModels, type LanguageModel } from './language-model.ts';
import { mapVercelError } from './map-error.ts';
import { readAnswer, type ReadOutcome } from './read-answer.ts';

export interface VercelAIAdapterOptions {
  /** For agents that name none in `llmConfig.model`: one, or a list in order of preference. */
  readonly model?: LanguageModel | readonly LanguageModel[];
  /** Told of warnings of providers and of changes to another model. */
  readonly logger?: Logger;
  /**
   * Take answers of providers that never say why they stopped. Off, such an answer counts as cut off and is asked for
   * again, because a connection that broke looks the same.
   */
  readonly acceptMissingFinishReason?: boolean;
}

/**
 * Language models of the AI SDK, of provider specification v2, v3 or v4. One call of the provider per step; retries are
 * the engine's. Where `llmConfig.model` is a list, the next model is asked when one fails in a way that may pass,
 * before anything of its answer was streamed.
 *
 * @example
 * const adapter = new VercelAIAdapter({ model: openai('gpt-5') });
 * const agent = defineAgent({
 *   name: 'support',
 *   systemPrompt: 'You help customers.',
 *   llmConfig: { model: [anthropic('claude-sonnet-4-5'), openai('gpt-5')], cache: anthropicCache() },
 * });
 */
export class VercelAIAdapter implements LLMAdapter {
  readonly #options: VercelAIAdapterOptions & { readonly logger: Logger };
  readonly #converter = new PromptConverter();

  constructor(options: VercelAIAdapterOptions = {}) {
    this.#options = { ...options, logger: toLogger(options.logger) };
    if (options.model !== undefined) readModels(options.model, '`model`');
  }

  async generateStep(input: LLMGenerateInput): Promise<StepResult> {
    const [primary, ...fallbacks] = readModels(input.config.model ?? this.#options.model);
    const first = await this.#ask(primary, input);
    if (first.ok) return first.result;
    let failed = first;
    for (const model of fallbacks) {
      if (failed.started || !failed.error.retryable) break;
      const { modelId, provider } = model;
      const { code } = failed.error;
      this.#options.logger.warn('model.fallback', { modelId, provider, code });
      const next = await this.#ask(model, input);
      if (next.ok) return next.result;
      failed = next;
    }
    // The first model's word says best when to try the list again; unless a later one ended it.
    throw failed.error.retryable && !failed.started ? first.error : failed.error;
  }

  async #ask(
    model: LanguageModel,
    input: LLMGenerateInput,
  ): Promise<Extract<ReadOutcome, { ok: true }> | Failure> {
    const { abortSignal, callbacks } = input;
    const outcome = await this.#call(model, input)
      .then((stream) => readAnswer(stream, { ...this.#options, abortSignal, callbacks }))
      .catch((error: unknown): ReadOutcome => ({ ok: false, error, started: false }));
    if (outcome.ok) return { ok: true, result: { ...outcome.result, modelId: model.modelId } };
    abortSignal.throwIfAborted();
    return { ok: false, error: mapVercelError(outcome.error), started: outcome.started };
  }

  async #call(model: LanguageModel, input: LLMGenerateInput): Promise<ReadableStream<unknown>> {
    const { messages, tools, config } = input;
    const { provider, modelId, specificationVersion: version } = model;
    const cache = applyCacheStrategies(config.cache, { messages, tools, provider, modelId });
    const prompt = this.#converter.convert(messages, version, cache);
    const { stream } = await model.doStream(toCallOptions(input, version, prompt, cache));
    return stream;
  }
}

interface Failure {
  readonly ok: false;
  readonly error: HelixError;
  readonly started: boolean;
}
