import type { StopReason, TokenCounts } from '@helix-agents/core';
import type { FinishPart } from './stream-part.ts';

const STOP_REASONS: Readonly<Record<string, StopReason>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  'content-filter': 'content_filter',
  'tool-calls': 'tool_use',
  error: 'error',
};

export interface Finish {
  readonly stopReason: StopReason;
  /** The provider's own word, where it told one. */
  readonly raw: string | undefined;
  /** No reason came: the connection ended before the answer did. */
  readonly cut: boolean;
  readonly usage: TokenCounts | undefined;
}

export function readFinish(part: FinishPart): Finish {
  const { finishReason } = part;
  const word = typeof finishReason === 'string' ? finishReason : finishReason?.unified;
  const raw = typeof finishReason === 'string' ? undefined : finishReason?.raw;
  const cut =
    word === undefined ||
    word === 'interrupted' ||
    word === 'unknown' ||
    (word === 'other' && raw == null && typeof finishReason !== 'string');
  const stopReason = raw === 'stop_sequence' ? raw : (STOP_REASONS[word ?? ''] ?? 'unknown');
  return { stopReason, raw: raw ?? undefined, cut, usage: readUsage(part.usage) };
}

/** Counts are plain numbers in v2, grouped since v3. What a provider did not tell is left out. */
function readUsage(usage: unknown): TokenCounts | undefined {
  const input = field(usage, 'inputTokens');
  const output = field(usage, 'outputTokens');
  const prompt = count(input) ?? count(field(input, 'total'));
  const completion = count(output) ?? count(field(output, 'total'));
  const counts = {
    prompt,
    completion,
    reasoning: count(field(usage, 'reasoningTokens')) ?? count(field(output, 'reasoning')),
    cached: count(field(usage, 'cachedInputTokens')) ?? count(field(input, 'cacheRead')),
    total: count(field(usage, 'totalTokens')) ?? sum(prompt, completion),
  };
  const told = Object.entries(counts).filter(([, value]) => value !== undefined);
  return told.length > 0 ? Object.fromEntries(told) : undefined;
}

function sum(prompt: number | undefined, completion: number | undefined): number | undefined {
  return prompt === undefined && completion === undefined
    ? undefined
    : (prompt ?? 0) + (completion ?? 0);
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
