// If this fails: two callers both believe a new session is theirs, and one overwrites the other (IDEM-04).
import { InvalidRequestError, SessionExistsError } from '@helix-agents/core';
import { describe, expect, it } from 'vitest';
import { inParallel } from '../store/everything.ts';
import { rejection, type OpenStateStore } from './harness.ts';

export function createSessionOnce(open: OpenStateStore): void {
  describe('createSession', () => {
    it('has one winner among 20 callers, and the others are told', async () => {
      const { store, connections } = await open();
      const settled = await Promise.allSettled(
        await inParallel(20, async (racer) => {
          const connection = connections[racer % connections.length] ?? store;
          return { done: connection.createSession('s1', { customState: { racer } }) };
        }).then((started) => started.map(({ done }) => done)),
      );
      const won = settled.filter((one) => one.status === 'fulfilled');
      const lost = settled.filter((one) => one.status === 'rejected');
      expect(won).toHaveLength(1);
      expect(lost.every(({ reason }) => SessionExistsError.isInstance(reason))).toBe(true);
      expect((await store.loadState('s1'))?.customState).toEqual(won[0]?.value.customState);
    });

    it('takes no id that a sub-agent may have', async () => {
      const { store } = await open();
      const refused = await rejection(store.createSession('s1-sub-1-0'));
      expect(InvalidRequestError.isInstance(refused)).toBe(true);
      expect(await store.sessionExists('s1-sub-1-0')).toBe(false);
    });

    it('gives an active session without a run, with what it was given', async () => {
      const { store } = await open();
      const given = {
        agentType: 'researcher',
        customState: { notes: ['a'] },
        userId: 'u1',
        tags: ['t1', 't2'],
        metadata: { team: 'x' },
      };
      const created = await store.createSession('s1', given);
      expect(created).toMatchObject({ ...given, sessionId: 's1', status: 'active', version: 1 });
      expect(created).toMatchObject({ runId: null, stepCount: 0, parentSessionId: null });
      expect(await store.loadState('s1')).toEqual(created);
      expect(await store.sessionExists('s1')).toBe(true);
      expect(await store.getCurrentRun('s1')).toBeNull();
      expect(await store.listRuns('s1')).toEqual({ runs: [] });
    });

    it('is refused over a session that exists, and allowed again after it was deleted', async () => {
      const { store } = await open();
      await store.createSession('s1');
      await store.appendMessages('s1', [{ role: 'user', content: 'hi' }]);
      expect(SessionExistsError.isInstance(await rejection(store.createSession('s1')))).toBe(true);
      await store.deleteSession('s1');
      expect(await store.sessionExists('s1')).toBe(false);
      expect(await store.loadState('s1')).toBeNull();
      await store.createSession('s1');
      expect(await store.getAllMessages('s1')).toEqual([]);
      await store.deleteState('s1');
      await store.deleteState('s1');
      expect(await store.sessionExists('s1')).toBe(false);
    });

    it('refuses ids and states that cannot be stored', async () => {
      const { store } = await open();
      await expect(store.createSession('')).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
      const customState = { big: 1n };
      await expect(store.createSession('s1', { customState })).rejects.toMatchObject({
        code: 'state_unserializable',
      });
      expect(await store.sessionExists('s1')).toBe(false);
    });
  });
}
