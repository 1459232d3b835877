// If this fails: a stop is lost, or stops a run it was not meant for.
import { describe, expect, it } from 'vitest';
import { seed } from '../store/plans.ts';
import { sessionRow } from '../store/rows.ts';
import type { OpenStateStore } from './harness.ts';

export function interruptFlags(open: OpenStateStore): void {
  describe('interrupt flags', () => {
    it('are there until they are cleared; reading does not clear them', async () => {
      const { store, connections } = await open();
      const other = connections.at(-1) ?? store;
      await store.createSession('s1');
      expect(await store.checkInterruptFlag('s1')).toBeNull();
      expect(await store.setInterruptFlag('s1', 'enough')).toBe(true);
      expect(await store.setInterruptFlag('s1', 'again')).toBe(true);
      const flag = { interrupted: true, reason: 'enough', timestamp: expect.any(Number) };
      expect(await other.checkInterruptFlag('s1')).toEqual(flag);
      expect(await store.checkInterruptFlag('s1')).toEqual(flag);
      await other.clearInterruptFlag('s1');
      expect(await store.checkInterruptFlag('s1')).toBeNull();
      expect(await store.loadState('s1')).toMatchObject({ version: 1 });
    });

    it('are meant for the run they were set on', async () => {
      const { store } = await open();
      await store.createSession('s1');
      await store.createRun('s1');
      await store.setInterruptFlag('s1');
      expect(await store.checkInterruptFlag('s1')).toMatchObject({ reason: null });
      await store.createRun('s1');
      expect(await store.checkInterruptFlag('s1')).toBeNull();
      await store.setInterruptFlag('s1');
      await store.updateStatus('s1', 'interrupted');
      expect(await store.checkInterruptFlag('s1')).toBeNull();
    });

    it('are refused when nothing is running', async () => {
      const { store } = await open();
      await seed(store.sessions, { sessions: [sessionRow({ status: 'completed' })] });
      expect(await store.setInterruptFlag('s1')).toBe(false);
      expect(await store.checkInterruptFlag('s1')).toBeNull();
      expect(await store.checkInterruptFlag('nobody')).toBeNull();
      await expect(store.setInterruptFlag('nobody')).rejects.toMatchObject({
        code: 'session_not_found',
      });
    });
  });
}
