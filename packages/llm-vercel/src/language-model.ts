import { HelixError } from '@helix-agents/core';

/** The provider interface of the AI SDK, as far as a model call needs it. */
export interface LanguageModel {
  readonly specificationVersion: SpecificationVersion;
  readonly provider: string;
  readonly modelId: string;
  doStream(options: CallOptions): PromiseLike<{ readonly stream: ReadableStream<unknown> }>;
}

export type SpecificationVersion = 'v2' | 'v3' | 'v4';

/** Provider options and metadata: one object per provider name. */
export type ProviderOptions = { readonly [provider: string]: { readonly [key: string]: unknown } };

/** What a model call is given: the same in every specification, but for the parts of the prompt. */
export interface CallOptions {
  readonly prompt: unknown;
  readonly tools?: unknown;
  readonly toolChoice?: unknown;
  readonly maxOutputTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly topK?: number | undefined;
  readonly presencePenalty?: number | undefined;
  readonly frequencyPenalty?: number | undefined;
  readonly stopSequences?: readonly string[] | undefined;
  readonly seed?: number | undefined;
  readonly headers?: { readonly [name: string]: string | undefined } | undefined;
  readonly providerOptions?: unknown;
  readonly abortSignal?: AbortSignal | undefined;
}

const VERSIONS: readonly unknown[] = ['v2', 'v3', 'v4'] satisfies SpecificationVersion[];

/** The models an agent names: one, or a list in order of preference. `where` is what to call the place they come from. */
export function readModels(
  model: unknown,
  where: string = '`llmConfig.model`',
): readonly [LanguageModel, ...LanguageModel[]] {
  const [first, ...others]: unknown[] = Array.isArray(model) ? model : [model];
  const require = (one: unknown): LanguageModel => requireModel(one, where);
  return [require(first), ...others.map(require)];
}

function requireModel(model: unknown, where: string): LanguageModel {
  if (isLanguageModel(model)) return model;
  throw new HelixError({
    code: 'definition_invalid',
    message: `${where} is ${describe(model)}; give it a language model of an AI SDK provider, such as openai('…') of @ai-sdk/openai, or a list of them.`,
  });
}

function isLanguageModel(model: unknown): model is LanguageModel {
  if (typeof model !== 'object' || model === null) return false;
  const { doStream, specificationVersion } = model as Partial<LanguageModel>;
  return typeof doStream === 'function' && VERSIONS.includes(specificationVersion);
}

function describe(model: unknown): string {
  if (typeof model === 'string') return `the text "${model}"`;
  if (typeof model === 'function') return 'a function, perhaps a provider that was not called yet';
  if (typeof model !== 'object' || model === null) return String(model);
  const { specificationVersion } = model as { readonly specificationVersion?: unknown };
  return typeof specificationVersion === 'string'
    ? `a model of specification ${specificationVersion}, of which v2, v3 and v4 are known`
    : 'no language model';
}
