export type { LanguageModel } from './language-model.ts';
export { mapVercelError } from './map-error.ts';
export { ProviderError } from './provider-error.ts';
export { VercelAIAdapter } from './vercel-ai-adapter.ts';
export type { VercelAIAdapterOptions } from './vercel-ai-adapter.ts';
