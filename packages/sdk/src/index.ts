/** What most applications install: core, the in-process runtime, the memory and SQLite stores, and models of AI SDK providers. */
export { createHelix } from './create-helix.ts';
export type { AnswerOptions, ApproveOptions, CallAddress, DenyOptions } from './answers.ts';
export type { Helix, HelixChat, HelixDatabase, HelixOptions, HelixStores } from './helix.ts';
export * from '@helix-agents/core';
export { VercelAIAdapter } from '@helix-agents/llm-vercel';
export type { LanguageModel, VercelAIAdapterOptions } from '@helix-agents/llm-vercel';
export * from '@helix-agents/runtime-js';
export * from '@helix-agents/store-memory';
export * from '@helix-agents/store-sqlite';
