import type { CacheBreakpoint, CacheRequest, CacheStrategy } from './cache-strategy.ts';

export interface AnthropicCacheOptions {
  /** How long Anthropic keeps what it cached, from its last use. Its own default is five minutes. */
  readonly ttl?: '5m' | '1h';
}

/**
 * Caching for models of Anthropic: one mark at the system prompt, which covers the tools before it, and one at the end
 * of the latest batch of tool results. Each step then reads what the step before it wrote.
 */
export function anthropicCache(options: AnthropicCacheOptions = {}): CacheStrategy {
  const { ttl } = options;
  const cacheControl = { type: 'ephemeral', ...(ttl && { ttl }) };
  const providerOptions = { anthropic: { cacheControl } };
  return {
    name: 'anthropic',
    findBreakpoints: (request) =>
      [findAnchor(request), findLatestResult(request)].flatMap((at) =>
        at ? [{ at, providerOptions }] : [],
      ),
  };
}

/** The last system message, or the last tool where there is none. */
function findAnchor({ messages, tools }: CacheRequest): CacheBreakpoint['at'] | null {
  const first = messages.findIndex(({ role }) => role !== 'system');
  const system = (first === -1 ? messages.length : first) - 1;
  if (system >= 0) return { message: system };
  return tools.length > 0 ? { tool: tools.length - 1 } : null;
}

function findLatestResult({ messages }: CacheRequest): CacheBreakpoint['at'] | null {
  const message = messages.findLastIndex(({ role }) => role === 'tool');
  return message === -1 ? null : { message };
}
