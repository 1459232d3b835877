import type { JsonObject, JsonValue } from '../json.ts';
import type { UsageRow } from '../store/rows.ts';
import type { UsageEntry, UsageRollup } from './usage.ts';

/** Sums of entries. A model that gave no total is counted as prompt and completion together. */
export function rollupUsage(entries: Iterable<UsageEntry>): UsageRollup {
  const tokens = { prompt: 0, completion: 0, reasoning: 0, cached: 0, total: 0 };
  const toolStats = { totalCalls: 0, failedCalls: 0 };
  const subAgentStats = { totalCalls: 0, failedCalls: 0 };
  const custom = new Map<string, number>();
  let modelCalls = 0;
  for (const { kind, source, data } of entries) {
    switch (kind) {
      case 'tokens':
        modelCalls += 1;
        addTokens(tokens, data.tokens);
        break;
      case 'tool':
        count(toolStats, data);
        break;
      case 'subagent':
        count(subAgentStats, data);
        break;
      case 'custom':
        custom.set(source.type, (custom.get(source.type) ?? 0) + toNumber(data.value));
        break;
    }
  }
  return { tokens, toolStats, subAgentStats, modelCalls, custom: Object.fromEntries(custom) };
}

export function usageEntryFromRow(row: UsageRow): UsageEntry {
  const { sourceType, sourceName, ...rest } = row;
  return { ...rest, source: { type: sourceType, name: sourceName } };
}

export function usageRowFromEntry(entry: UsageEntry): UsageRow {
  const { source, ...rest } = entry;
  const timestamp = Math.floor(entry.timestamp);
  return { ...rest, timestamp, sourceType: source.type, sourceName: source.name };
}

type TokenSums = { -readonly [Name in keyof UsageRollup['tokens']]: number };

function addTokens(sums: TokenSums, given: JsonValue | undefined): void {
  const counts = isRecord(given) ? given : {};
  const prompt = toNumber(counts.prompt);
  const completion = toNumber(counts.completion);
  sums.prompt += prompt;
  sums.completion += completion;
  sums.reasoning += toNumber(counts.reasoning);
  sums.cached += toNumber(counts.cached);
  sums.total += typeof counts.total === 'number' ? toNumber(counts.total) : prompt + completion;
}

function count(stats: { totalCalls: number; failedCalls: number }, data: JsonObject): void {
  stats.totalCalls += 1;
  if (data.success === false) stats.failedCalls += 1;
}

function toNumber(value: JsonValue | undefined): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

function isRecord(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
