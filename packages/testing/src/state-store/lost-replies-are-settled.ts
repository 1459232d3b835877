// If this fails: a broken connection makes a write happen twice, or a caller believes the wrong outcome.
import { StaleStateError, type SessionStateStore } from '@helix-agents/core';
import { createStateStoreFacade } from '@helix-agents/core/state-store';
import { describe, expect, it } from 'vitest';
import { faultyStore, type StoreFault } from '../world/fault-line.ts';
import { rejection, type FullStateStore, type OpenStateStore } from './harness.ts';

const hello = { role: 'user', content: 'hello' } as const;

export function lostRepliesAreSettled(open: OpenStateStore): void {
  describe('a write whose reply is lost', () => {
    for (const fault of ['fail-before', 'fail-after'] as const) {
      it(`happens once (${fault})`, async () => {
        const { store } = await open();
        const broken = behindBadLine(store, async () => fault);
        await broken.createSession('s1', { customState: { n: 0 } });
        expect(await broken.appendMessages('s1', [hello])).toEqual({
          newVersion: 2,
          messageCount: 1,
        });
        expect(await broken.incrementStepCount('s1')).toBe(1);
        expect(await broken.saveState('s1', { version: 3, tags: ['a'] })).toEqual({
          newVersion: 4,
        });
        const writes = [{ op: 'append', path: ['seen'], values: ['x'] }] as const;
        await broken.stageChanges('s1', 1, { toolCallId: 'c', writes });
        await broken.promoteStaging('s1', { stepId: 1 });
        expect(await broken.compareAndSetStatus('s1', ['active'], 'completed')).toEqual({
          ok: true,
          newVersion: 6,
        });
        expect(await store.loadState('s1')).toMatchObject({
          customState: { n: 0, seen: ['x'] },
          messageCount: 1,
          stepCount: 1,
          status: 'completed',
          version: 6,
        });
      });
    }

    it('is reported as unknown, never repeated, when others wrote since', async () => {
      const { store } = await open();
      await store.createSession('s1');
      const broken = behindBadLine(store, async (apply) => {
        await apply();
        await store.incrementResumeCount('s1');
        await store.incrementResumeCount('s1');
        return 'fail-before';
      });
      const error = await rejection(broken.appendMessages('s1', [hello]));
      expect(StaleStateError.isInstance(error)).toBe(true);
      expect(await store.getAllMessages('s1')).toEqual([hello]);
    });
  });
}

/** Each commit goes wrong the first time it is sent. `apply` writes it before it goes wrong. */
function behindBadLine(
  store: FullStateStore,
  goWrong: (apply: () => Promise<boolean>) => Promise<StoreFault>,
): SessionStateStore {
  const sent = new Set<string>();
  const sessions = faultyStore(store.sessions, async (_, plan) => {
    if (!plan || sent.has(plan.commitId)) return 'pass';
    sent.add(plan.commitId);
    return goWrong(() => store.sessions.commit(plan));
  });
  return createStateStoreFacade({ sessions, index: store.index });
}
