// If this fails: a bill is wrong - entries lost, counted twice, or of somebody else's session.
import type { UsageStore } from '@helix-agents/core';
import type { UsageEntry } from '@helix-agents/core/store';
import type { SessionStore } from '@helix-agents/core/store';
import { describe, expect, it, onTestFinished } from 'vitest';
import { seed } from './plans.ts';
import { sessionRow, T0, usageRow } from './rows.ts';

/** One empty usage store, opened for one test. */
export interface UsageStoreUnderTest {
  readonly usage: UsageStore;
  /** The session store of the same database; its commits carry usage rows too. */
  readonly sessions: SessionStore | null;
  close(): Promise<void>;
}

export interface TestUsageStoreOptions {
  readonly name: string;
  create(): Promise<UsageStoreUnderTest>;
}

export function usageEntry(id: string, given: Partial<UsageEntry> = {}): UsageEntry {
  return {
    id,
    sessionId: 's1',
    rootId: 's1',
    runId: 'run-1',
    stepCount: 1,
    timestamp: T0,
    kind: 'tokens',
    source: { type: 'agent', name: 'researcher' },
    data: { model: 'scripted', tokens: { prompt: 3, completion: 4 } },
    ...given,
  };
}

/** What every usage store must hold to. Registers vitest tests; each opens its own, empty one. */
export function testUsageStore(options: TestUsageStoreOptions): void {
  const open = async (): Promise<UsageStoreUnderTest> => {
    const opened = await options.create();
    onTestFinished(() => opened.close());
    return opened;
  };

  describe(`usage store: ${options.name}`, () => {
    it('gives the entries of a session in order, and of the kinds asked for', async () => {
      const { usage } = await open();
      const kinds = ['tokens', 'tool', 'custom', 'tool'] as const;
      const entries = kinds.map((kind, index) =>
        usageEntry(`${index}`, {
          kind,
          timestamp: T0 + index,
          data: { success: true, value: index },
        }),
      );
      for (const entry of entries) await usage.recordEntry(entry);
      await usage.recordEntry(usageEntry('other', { sessionId: 's2', rootId: 's2' }));
      expect(await usage.getEntries('s1')).toEqual(entries);
      expect(await usage.getEntries('s1', { kinds: ['tool'] })).toEqual([entries[1], entries[3]]);
      expect(await usage.getEntries('s1', { kinds: [] })).toEqual([]);
      expect(await usage.getEntries('nobody')).toEqual([]);
    });

    it('keeps times as whole milliseconds', async () => {
      const { usage } = await open();
      await usage.recordEntry(usageEntry('a', { timestamp: T0 + 0.9 }));
      expect(await usage.getEntries('s1')).toEqual([usageEntry('a', { timestamp: T0 })]);
    });

    it('counts an entry that is recorded twice once', async () => {
      const { usage } = await open();
      await Promise.all([1, 2, 3].map(() => usage.recordEntry(usageEntry('a'))));
      expect(await usage.getEntries('s1')).toEqual([usageEntry('a')]);
    });

    it('keeps entries of two sessions that have one id', async () => {
      const { usage } = await open();
      const other = { sessionId: 's2', rootId: 's2' };
      for (const entry of [usageEntry('a'), usageEntry('a', other), usageEntry('a', other)]) {
        await usage.recordEntry(entry);
      }
      expect(await usage.getEntries('s1')).toEqual([usageEntry('a')]);
      expect(await usage.getEntries('s2')).toEqual([usageEntry('a', other)]);
    });

    it('tells ids apart that differ in half of a pair, and keeps its source as it was', async () => {
      const { usage } = await open();
      const entries = ['\ud800', '\ud801', '\ufffd'].map((id) =>
        usageEntry(id, { runId: id, source: { type: id, name: `${id}\u0000` } }),
      );
      for (const entry of [...entries, ...entries]) await usage.recordEntry(entry);
      expect(await usage.getEntries('s1')).toEqual(entries);
    });

    it('sums each kind', async () => {
      const { usage } = await open();
      const full = { prompt: 10, completion: 5, reasoning: 2, cached: 1, total: 18 };
      const entries: readonly Partial<UsageEntry>[] = [
        {},
        { data: { tokens: full } },
        { kind: 'tool', data: { success: true } },
        { kind: 'tool', data: { success: false } },
        { kind: 'subagent', data: { success: false } },
        { kind: 'custom', source: { type: 'wait', name: 'ask' }, data: { value: 1.5 } },
        { kind: 'custom', source: { type: 'wait', name: 'pick' }, data: { value: 2 } },
        { kind: 'custom', source: { type: '__proto__', name: 'ask' }, data: { value: 7 } },
      ];
      for (const [index, entry] of entries.entries()) {
        await usage.recordEntry(usageEntry(`${index}`, entry));
      }
      const { custom, ...rest } = await usage.getRollup('s1');
      expect(rest).toEqual({
        tokens: { prompt: 13, completion: 9, reasoning: 2, cached: 1, total: 25 },
        toolStats: { totalCalls: 2, failedCalls: 1 },
        subAgentStats: { totalCalls: 1, failedCalls: 1 },
        modelCalls: 2,
      });
      expect(new Map(Object.entries(custom))).toEqual(
        new Map([
          ['wait', 3.5],
          ['__proto__', 7],
        ]),
      );
    });

    it('sums nothing to zeros', async () => {
      const { usage } = await open();
      expect(await usage.getRollup('nobody')).toEqual({
        tokens: { prompt: 0, completion: 0, reasoning: 0, cached: 0, total: 0 },
        toolStats: { totalCalls: 0, failedCalls: 0 },
        subAgentStats: { totalCalls: 0, failedCalls: 0 },
        modelCalls: 0,
        custom: {},
      });
    });

    it('counts a whole tree at its root, without any session row', async () => {
      const { usage } = await open();
      await usage.recordEntry(usageEntry('a'));
      await usage.recordEntry(usageEntry('b', { sessionId: 's1-sub-1-0' }));
      await usage.recordEntry(usageEntry('c', { sessionId: 's2', rootId: 's2' }));
      expect((await usage.getRollup('s1')).modelCalls).toBe(2);
      expect(await usage.getEntries('s1'), 'entries are of one session').toHaveLength(1);
    });

    it('counts a session and all below it, and what commits carried', async ({ skip }) => {
      const { usage, sessions } = await open();
      if (!sessions) return skip(`${options.name} has no sessions`);
      const [child, grandchild, sibling] = ['child', 'grandchild', 'sibling'];
      await seed(sessions, {
        sessions: [
          sessionRow(),
          sessionRow({ sessionId: child, rootId: 's1' }),
          sessionRow({ sessionId: grandchild, rootId: 's1', route: ['s1', child, grandchild] }),
          sessionRow({ sessionId: sibling, rootId: 's1' }),
        ],
        usage: [usageRow('root'), usageRow('child', { sessionId: child })],
      });
      await usage.recordEntry(usageEntry('grandchild', { sessionId: grandchild }));
      await usage.recordEntry(usageEntry('sibling', { sessionId: sibling }));
      await usage.recordEntry(usageEntry('root', { stepCount: 9 }));
      expect((await usage.getRollup('s1')).modelCalls).toBe(4);
      expect((await usage.getRollup(child)).modelCalls).toBe(2);
      expect((await usage.getRollup(sibling)).modelCalls).toBe(1);
      const [first] = await usage.getEntries('s1');
      expect(first).toEqual(usageEntry('root', { runId: 'run-1-of-s1' }));
    });
  });
}
