import type { JsonObject, JsonValue } from '../../json.ts';
import type { AppliedCacheResult, CacheRequest, CacheStrategy } from './cache-strategy.ts';

/** What the strategies of an agent mark in one request. Changes nothing; without strategies nothing is marked. */
export function applyCacheStrategies(
  cache: CacheStrategy | readonly CacheStrategy[] | undefined,
  request: CacheRequest,
): AppliedCacheResult {
  const messageOptions = new Map<number, JsonObject>();
  const toolOptions = new Map<number, JsonObject>();
  for (const strategy of asList(cache)) {
    for (const { at, providerOptions } of strategy.findBreakpoints(request)) {
      const [options, index] =
        'message' in at ? [messageOptions, at.message] : [toolOptions, at.tool];
      options.set(index, merge(options.get(index) ?? {}, providerOptions));
    }
  }
  return { messageOptions, toolOptions };
}

function asList(
  cache: CacheStrategy | readonly CacheStrategy[] | undefined,
): readonly CacheStrategy[] {
  if (cache === undefined) return [];
  return 'findBreakpoints' in cache ? [cache] : cache;
}

/** Two strategies may mark one place: each provider's options are joined, the later one wins. */
function merge(first: JsonObject, second: JsonObject): JsonObject {
  const made: Record<string, JsonValue | undefined> = { ...first };
  for (const [provider, options] of Object.entries(second)) {
    const before = made[provider];
    made[provider] = isObject(before) && isObject(options) ? { ...before, ...options } : options;
  }
  return made;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
