// If this fails: an application believes a sub-agent still works when it is done, or the other way round.
import { describe, expect, it } from 'vitest';
import { seed } from '../store/plans.ts';
import { referenceRow, sessionRow, T0 } from '../store/rows.ts';
import type { OpenStateStore } from './harness.ts';

export function subSessions(open: OpenStateStore): void {
  describe('sub-sessions', () => {
    it('are listed with what became of them', async () => {
      const { store } = await open();
      const child = (sessionId: string, status: 'completed' | 'suspended_client_tool') =>
        sessionRow({ sessionId, rootId: 's1', status });
      await seed(store.sessions, {
        sessions: [
          sessionRow(),
          child('s1-sub-1-0', 'completed'),
          child('s1-sub-1-1', 'suspended_client_tool'),
        ],
        references: [
          referenceRow('s1-sub-1-0', { state: 'closed', completedAt: T0 + 1 }),
          referenceRow('s1-sub-1-1', { index: 1, mode: 'persistent', name: 'helper-1' }),
          referenceRow('s1-sub-1-2', { index: 2 }),
        ],
      });
      const listed = await store.listSubSessions('s1');
      const common = { agentType: 'helper', mode: 'ephemeral', startedAt: T0 };
      const refs = ['s1-sub-1-0', 's1-sub-1-1', 's1-sub-1-2'].map((subSessionId) => ({
        ...common,
        subSessionId,
        parentToolCallId: `call-of-${subSessionId}`,
      }));
      expect(listed.toSorted((a, b) => (a.subSessionId < b.subSessionId ? -1 : 1))).toEqual([
        { ...refs[0], status: 'completed', completedAt: T0 + 1 },
        { ...refs[1], status: 'active', mode: 'persistent', name: 'helper-1' },
        { ...refs[2], status: 'active' },
      ]);
      expect(await store.listSubSessions('s1-sub-1-0')).toEqual([]);
    });
  });
}
