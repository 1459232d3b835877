import { createHash } from 'node:crypto';
import { deriveId, parseTraceParent } from '@helix-agents/core';
import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../src/util/sha256.ts';

describe('ids of traces', () => {
  it('are those of SHA-256, for texts of every length around a block', () => {
    for (const length of [0, 1, 3, 54, 55, 56, 63, 64, 65, 119, 120, 1_000]) {
      const text = 'ä€x'.repeat(length).slice(0, length);
      const expected = createHash('sha256').update(text).digest('hex');
      expect(sha256Hex(text), String(length)).toBe(expected);
    }
  });

  it('differ for parts that would read the same side by side', () => {
    const ids = [
      deriveId(16, 'a', 'b'),
      deriveId(16, 'ab'),
      deriveId(16, 'a', 1),
      deriveId(16, 'a1'),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.every((id) => /^[0-9a-f]{16}$/.test(id))).toBe(true);
  });

  it('reads a traceparent as W3C Trace Context writes it, and nothing else', () => {
    const text = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    expect(parseTraceParent(text)).toEqual({
      traceId: '0af7651916cd43dd8448eb211c80319c',
      spanId: 'b7ad6b7169203331',
      flags: '01',
    });
    expect(parseTraceParent(`cc${text.slice(2)}-more`), 'a later version').not.toBeNull();
    for (const wrong of [
      `${text}-more`,
      `ff${text.slice(2)}`,
      text.toUpperCase(),
      text.slice(1),
      null,
    ])
      expect(parseTraceParent(wrong), String(wrong)).toBeNull();
  });
});
