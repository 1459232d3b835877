// If this fails: a write from outside cuts into a run in progress.
import { AgentAlreadyRunningError, type SessionRow } from '@helix-agents/core';
import { describe, expect, it } from 'vitest';
import { seed } from '../store/plans.ts';
import { HOUR, runRow, sessionRow } from '../store/rows.ts';
import { rejection, type FullStateStore, type OpenStateStore } from './harness.ts';

export function liveOwnerIsLeftAlone(open: OpenStateStore): void {
  describe('a run in progress', () => {
    const owners: readonly (readonly [string, Partial<SessionRow>])[] = [
      ['with a lease', { leaseOwner: 'p1', leaseUntil: Date.now() + HOUR }],
      ['of an engine without leases', { hostKind: 'temporal', started: true }],
    ];
    for (const [name, owner] of owners) {
      it(`${name} refuses moves of status, transcript, run and staging`, async () => {
        const { store } = await open();
        await seed(store.sessions, { sessions: [sessionRow(owner)] });
        expect(await store.compareAndSetStatus('s1', ['active'], 'completed')).toEqual({
          ok: false,
          currentStatus: 'active',
          currentVersion: 1,
          reason: 'owned',
        });
        for (const write of writes(store)) {
          expect(AgentAlreadyRunningError.isInstance(await rejection(write()))).toBe(true);
        }
        expect(await store.loadState('s1')).toMatchObject({ version: 1, messageCount: 0 });
      });
    }

    it('lets state be saved beside it: the version decides', async () => {
      const { store } = await open();
      const owner = { leaseOwner: 'p1', leaseUntil: Date.now() + HOUR };
      await seed(store.sessions, { sessions: [sessionRow(owner)] });
      await store.saveState('s1', { version: 1, tags: ['seen'] });
      expect(await store.loadState('s1')).toMatchObject({ version: 2, tags: ['seen'] });
      expect(await store.sessions.readSession(sessionRow())).toMatchObject({ epoch: 1, ...owner });
    });

    it('that is dead may be moved, and finds its epoch gone', async () => {
      const { store } = await open();
      const dead = sessionRow({ leaseOwner: 'p1', leaseUntil: Date.now() - HOUR });
      await seed(store.sessions, { sessions: [dead], runs: [runRow(dead.runId)] });
      expect(await store.compareAndSetStatus('s1', ['active'], 'failed')).toMatchObject({
        ok: true,
      });
      const row = await store.sessions.readSession(dead);
      expect(row).toMatchObject({ status: 'failed', epoch: 2, leaseUntil: null });
      expect(await store.getCurrentRun('s1')).toMatchObject({ status: 'failed' });
    });
  });
}

function writes(store: FullStateStore): (() => Promise<unknown>)[] {
  return [
    () => store.updateStatus('s1', 'failed'),
    () => store.appendMessages('s1', [{ role: 'user', content: 'hi' }]),
    () => store.truncateMessages('s1', 0),
    () => store.incrementStepCount('s1'),
    () => store.incrementResumeCount('s1'),
    () => store.createRun('s1'),
    () => store.stageChanges('s1', 1, { toolCallId: 'a' }),
    () => store.promoteStaging('s1', { stepId: 1 }),
    () => store.discardStaging('s1', 1),
  ];
}
