// If this fails: a crash leaves half a step of a loop driven by hand, or a call's changes count twice.
import { StaleStateError } from '@helix-agents/core';
import { describe, expect, it } from 'vitest';
import { inParallel } from '../store/everything.ts';
import { rejection, type OpenStateStore } from './harness.ts';

export function stagingIsAtomic(open: OpenStateStore): void {
  describe('staging', () => {
    it('is invisible until it is promoted, with messages and a checkpoint, in one write', async () => {
      const { store } = await open();
      await store.createSession('s1', { customState: { count: 0, notes: ['old'] } });
      const patches = [{ op: 'replace', path: '/count', value: 1 }] as const;
      await store.stageChanges('s1', 1, { toolCallId: 'a', patches });
      const writes = [{ op: 'append', path: ['notes'], values: ['new'] }] as const;
      await store.stageChanges('s1', 1, { toolCallId: 'b', writes });
      expect((await store.loadState('s1'))?.customState).toEqual({ count: 0, notes: ['old'] });

      const messages = [{ role: 'assistant', content: 'done' }] as const;
      const promoted = await store.promoteStaging('s1', { stepId: 1, messages });
      const customState = { count: 1, notes: ['old', 'new'] };
      const state = await store.loadState('s1');
      expect(state).toMatchObject({ customState, stepId: 2, version: promoted.newVersion });
      expect(await store.getCheckpoint('s1', promoted.checkpointId)).toMatchObject({
        state: { customState, messages },
      });
      expect((await store.sessions.readStep({ rootId: 's1', sessionId: 's1' }))?.journal).toEqual(
        [],
      );
    });

    it('keeps the first changes of a call, and all calls of many writers in one order', async () => {
      const { store, connections } = await open();
      await store.createSession('s1', { customState: { seen: [] } });
      await inParallel(16, async (writer) => {
        const connection = connections[writer % connections.length] ?? store;
        const toolCallId = `call-${writer % 8}`;
        const writes = [{ op: 'append', path: ['seen'], values: [toolCallId] }] as const;
        await connection.stageChanges('s1', 1, { toolCallId, writes });
      });
      await store.promoteStaging('s1', { stepId: 1 });
      const state = await store.loadState<{ seen: string[] }>('s1');
      expect(state?.customState.seen.toSorted()).toEqual(
        Array.from({ length: 8 }, (_, index) => `call-${index}`),
      );
    });

    it('is saved with the state or not at all', async () => {
      const { store } = await open();
      await store.createSession('s1', { customState: { a: 0, b: 0 } });
      const state = await store.loadState<{ a: number; b: number }>('s1');
      if (!state) throw new Error('session s1 is gone');
      const patches = [{ op: 'replace', path: '/b', value: 2 }] as const;
      await store.stageChanges('s1', 1, { toolCallId: 'x', patches });
      state.customState.a = 1;
      const messages = [{ role: 'user', content: 'hi' }] as const;
      await store.saveStateAndPromoteStaging('s1', state, { stepId: 1, messages });
      expect(await store.loadState('s1')).toMatchObject({ customState: { a: 1, b: 2 } });

      await store.stageChanges('s1', 2, { toolCallId: 'y', patches });
      const again = { ...state, customState: { a: 9, b: 9 } };
      const error = await rejection(
        store.saveStateAndPromoteStaging('s1', again, { stepId: 2, messages }),
      );
      expect(StaleStateError.isInstance(error)).toBe(true);
      expect(await store.loadState('s1')).toMatchObject({ customState: { a: 1, b: 2 } });
      expect(await store.getAllMessages('s1')).toHaveLength(1);
      expect((await store.listCheckpoints('s1')).total).toBe(1);
    });

    it('is thrown away whole, and refused for a step that is over', async () => {
      const { store } = await open();
      await store.createSession('s1', { customState: { n: 0 } });
      const patches = [{ op: 'replace', path: '/n', value: 1 }] as const;
      await store.stageChanges('s1', 1, { toolCallId: 'a', patches });
      await store.discardStaging('s1', 1);
      await store.promoteStaging('s1', { stepId: 1 });
      expect((await store.loadState('s1'))?.customState).toEqual({ n: 0 });
      const late = [
        () => store.stageChanges('s1', 1, { toolCallId: 'b', patches }),
        () => store.promoteStaging('s1', { stepId: 1 }),
        () => store.discardStaging('s1', 1),
      ];
      for (const write of late) {
        expect(StaleStateError.isInstance(await rejection(write()))).toBe(true);
      }
    });

    it('refuses a patch that pushes array elements aside', async () => {
      const { store } = await open();
      await store.createSession('s1', { customState: { list: [1, 2] } });
      const patches = [{ op: 'add', path: '/list/0', value: 0 }] as const;
      await expect(store.stageChanges('s1', 1, { toolCallId: 'a', patches })).rejects.toMatchObject(
        { code: 'INVALID_REQUEST' },
      );
      const end = [{ op: 'add', path: '/list/-', value: 3 }] as const;
      await store.stageChanges('s1', 1, { toolCallId: 'a', patches: end });
      await store.promoteStaging('s1', { stepId: 1 });
      expect((await store.loadState('s1'))?.customState).toEqual({ list: [1, 2, 3] });
    });
  });
}
