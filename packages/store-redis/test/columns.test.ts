// If this fails: a column shares its line with another, or a value that Redis has no column for is lost without an error.
import { callKey } from '@helix-agents/core/store';
import { describeServer } from '@helix-agents/test-servers';
import { callRow, planFor, seed, sessionRow } from '@helix-agents/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CALL_LINES, CALL_NAMES, REFERENCE_LINES, REFERENCE_NAMES } from '../src/rows/columns.ts';
import { openSpace } from './connections.ts';

describe('lines of Redis rows', () => {
  it.each([
    ['calls', CALL_LINES],
    ['references', REFERENCE_LINES],
  ])('of %s are numbered from 1 without gaps or repetitions', (_, lines) => {
    const numbers = Object.values(lines).map(({ number }) => number);
    expect(numbers.toSorted((a, b) => a - b)).toEqual(numbers.map((__, place) => place + 1));
  });

  it('start with the columns that commit checks compare as a prefix', () => {
    expect(CALL_NAMES.slice(0, 2)).toEqual(['state', 'outcome']);
    expect(REFERENCE_NAMES[0]).toBe('state');
  });
});

describeServer('redis', () => {
  const unknown = { fromNewerCore: 1 };

  it('a column that the store does not know is refused, and nothing of its commit is written', async () => {
    const space = await openSpace();
    onTestFinished(() => space.close());
    const { store } = space.open('caller');
    const row = sessionRow();
    const call = callRow('a');
    await seed(store, { sessions: [row], calls: [call] });
    const newCall = { ...callRow('b'), ...unknown };
    const newSession = { ...sessionRow({ sessionId: 's2' }), ...unknown };
    const set = { turn: 9, ...unknown };
    const plans = [
      planFor(row, { sessions: [{ sessionId: row.sessionId, set }] }),
      planFor(row, {
        update: { calls: [{ key: callKey(call), set: { userId: 'u', ...unknown } }] },
      }),
      planFor(row, { insert: { calls: [newCall] } }),
      planFor(row, { insert: { sessions: [newSession] } }),
    ];
    for (const plan of plans)
      await expect(store.commit(plan)).rejects.toThrow(/no column for "fromNewerCore"/);
    expect(await store.readSession(row)).toEqual(row);
    expect(await store.readCalls('s1')).toEqual([call]);
  });
});
