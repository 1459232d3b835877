import type { JsonObject, JsonValue } from '../json.ts';
import type { UsageEntry, UsageRollup } from './usage.ts';

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** Sums entries; every usage store answers `getRollup` with this. */
export function rollUpUsage(entries: Iterable<UsageEntry>): UsageRollup {
  const tokens = { prompt: 0, completion: 0, reasoning: 0, cached: 0, total: 0 };
  const toolStats = { totalCalls: 0, failedCalls: 0 };
  const subAgentStats = { totalCalls: 0, failedCalls: 0 };
  const custom = new Map<string, number>();
  let modelCalls = 0;
  for (const { kind, data, source } of entries) {
    switch (kind) {
      case 'tokens':
        modelCalls += 1;
        addTokens(tokens, data.tokens);
        break;
      case 'tool':
        addCall(toolStats, data);
        break;
      case 'subagent':
        addCall(subAgentStats, data);
        break;
      case 'custom':
        custom.set(source.name, (custom.get(source.name) ?? 0) + numberOf(data.value));
        break;
    }
  }
  // Entries, not assignment: a metric may be called `__proto__`.
  return { tokens, toolStats, subAgentStats, modelCalls, custom: Object.fromEntries(custom) };
}

function addTokens(sum: Writable<UsageRollup['tokens']>, given: JsonValue | undefined): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return;
  const counts = given as JsonObject;
  const prompt = numberOf(counts.prompt);
  const completion = numberOf(counts.completion);
  sum.prompt += prompt;
  sum.completion += completion;
  sum.reasoning += numberOf(counts.reasoning);
  sum.cached += numberOf(counts.cached);
  sum.total += typeof counts.total === 'number' ? counts.total : prompt + completion;
}

function addCall(sum: { totalCalls: number; failedCalls: number }, data: UsageEntry['data']): void {
  sum.totalCalls += 1;
  if (data.success === false) sum.failedCalls += 1;
}

function numberOf(value: JsonValue | undefined): number {
  return typeof value === 'number' ? value : 0;
}
