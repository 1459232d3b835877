import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../src/index.ts';
import { rollupUsage, usageEntryFromRow, usageRowFromEntry } from '../src/usage/rollup.ts';
import type { UsageEntry } from '../src/usage/usage.ts';
import type { UsageKind } from '../src/store/rows.ts';

const entry = (kind: UsageKind, data: JsonObject, type: string = kind): UsageEntry => ({
  id: 'u',
  sessionId: 's',
  rootId: 's',
  runId: 'r',
  stepCount: 1,
  timestamp: 5,
  kind,
  source: { type, name: 'x' },
  data,
});

describe('rollupUsage', () => {
  it('is all zeros without entries', () => {
    expect(rollupUsage([])).toEqual({
      tokens: { prompt: 0, completion: 0, reasoning: 0, cached: 0, total: 0 },
      toolStats: { totalCalls: 0, failedCalls: 0 },
      subAgentStats: { totalCalls: 0, failedCalls: 0 },
      modelCalls: 0,
      custom: {},
    });
  });

  it('sums each kind by itself', () => {
    const rollup = rollupUsage([
      entry('tokens', { model: 'm', tokens: { prompt: 10, completion: 5, total: 20, cached: 4 } }),
      entry('tokens', { model: 'm', tokens: { prompt: 1, completion: 2, reasoning: 1 } }),
      entry('tokens', { model: 'm' }),
      entry('tool', { success: true }),
      entry('tool', { success: false }),
      entry('subagent', { success: false }),
      entry('custom', { value: 2 }, 'pages'),
      entry('custom', { value: 0.5 }, 'pages'),
      entry('custom', { value: 'many' }, '__proto__'),
    ]);
    expect(rollup).toMatchObject({
      tokens: { prompt: 11, completion: 7, reasoning: 1, cached: 4, total: 23 },
      toolStats: { totalCalls: 2, failedCalls: 1 },
      subAgentStats: { totalCalls: 1, failedCalls: 1 },
      modelCalls: 3,
    });
    expect(Object.entries(rollup.custom)).toEqual([
      ['pages', 2.5],
      ['__proto__', 0],
    ]);
  });
});

describe('usage rows', () => {
  it('hold what entries hold', () => {
    const given = entry('tool', { success: true, durationMs: 3 });
    const row = usageRowFromEntry(given);
    expect(row).toMatchObject({ sourceType: 'tool', sourceName: 'x' });
    expect(row).not.toHaveProperty('source');
    expect(usageEntryFromRow(row)).toEqual(given);
  });
});
