// If this fails: data a person asked to have deleted stays, or somebody else's goes with it.
import { rootRef } from '@helix-agents/core/store';
import type { SessionRow } from '@helix-agents/core';
import type { FullStreamManager, SessionRef } from '@helix-agents/core/store';
import { describe, expect, it } from 'vitest';
import { readEverything } from './everything.ts';
import type { OpenStore, Store } from './harness.ts';
import { planFor, seed } from './plans.ts';
import {
  callRow,
  checkpointRow,
  HOUR,
  messageRow,
  referenceRow,
  resultRow,
  runRow,
  sessionRow,
  settledCallRow,
  T0,
  usageRow,
} from './rows.ts';

async function seedTree(store: Store, rootId: string): Promise<void> {
  const child = `${rootId}-sub-1-0`;
  const late = { deadlineAt: T0 - HOUR };
  await seed(store, {
    sessions: [sessionRow({ sessionId: rootId }), sessionRow({ sessionId: child, rootId })],
    messages: [messageRow(1, { sessionId: rootId }), messageRow(1, { sessionId: child })],
    journal: [resultRow('a', { sessionId: rootId }), resultRow('b', { sessionId: child })],
    calls: [
      callRow('a', { rootId, ...late }),
      settledCallRow('b', { rootId, ownerSessionId: child, purgeAt: T0 - HOUR }),
    ],
    references: [referenceRow(child, { sessionId: rootId, state: 'closing' })],
    checkpoints: [checkpointRow(1, { sessionId: rootId })],
    runs: [runRow(`run-of-${rootId}`, { sessionId: rootId })],
    usage: [usageRow(`usage-of-${rootId}`, { sessionId: rootId, rootId })],
  });
  await store.requestInterrupt({ rootId, sessionId: rootId }, null, T0);
}

function refsOf(rootId: string): { rootId: string; sessionId: string }[] {
  return [
    { rootId, sessionId: rootId },
    { rootId, sessionId: `${rootId}-sub-1-0` },
  ];
}

/** Commits that take a while, one after the other. */
async function writeUntilGone(store: Store, ref: SessionRef): Promise<void> {
  const { sessionId } = ref;
  for (let session = await store.readSession(ref); session;) {
    const { version } = session;
    const messages = Array.from({ length: 100 }, (_, place) =>
      messageRow(100 * version + place, { sessionId }),
    );
    const won = await store.commit(planFor(session, { insert: { messages } }));
    session = won ? { ...session, version: version + 1 } : null;
  }
}

async function sayUntilGone(
  store: Store,
  streams: FullStreamManager,
  rootId: string,
): Promise<void> {
  const chunk = { agentId: rootId, agentType: 'researcher', timestamp: T0, step: 1 };
  while (await store.readSession({ rootId, sessionId: rootId })) {
    await streams.append(rootId, [{ chunk: { ...chunk, type: 'text_delta', delta: 'hi' } }]);
  }
}

export function deleteSession(open: OpenStore): void {
  describe('deleteSession', () => {
    it('removes the whole tree of a root and nothing else', async () => {
      const { store } = await open();
      await seedTree(store, 's1');
      await seedTree(store, 's2');
      const nothing = await readEverything(store, refsOf('never-there'));
      const others = await readEverything(store, refsOf('s2'));
      expect(await store.deleteSession({ rootId: 's1', sessionId: 's1' })).toBe(true);
      expect(await readEverything(store, refsOf('s1'))).toEqual(nothing);
      expect(await readEverything(store, refsOf('s2'))).toEqual(others);
      const listed = (await store.listSessions({ rootsOnly: false })).items;
      expect(listed.every((row) => row.rootId === 's2')).toBe(true);
      expect((await store.listOpenCalls()).items.map((call) => call.rootId)).toEqual(['s2']);
      const due = await store.findDue({ now: T0, hostKind: 'js', limit: 10 });
      expect(due).toMatchObject({ overdueTops: [rootRef('s2')], purgeableTops: [rootRef('s2')] });
      expect(due.closing).toHaveLength(1);
    });

    it('leaves nothing in the way of a new session with the same ids', async () => {
      const { store } = await open();
      await seedTree(store, 's1');
      const first = await readEverything(store, refsOf('s1'));
      await store.deleteSession({ rootId: 's1', sessionId: 's1' });
      await seedTree(store, 's1');
      expect(await readEverything(store, refsOf('s1'))).toEqual(first);
    });

    it('does nothing when there is none', async () => {
      const { store } = await open();
      await seedTree(store, 's1');
      const before = await readEverything(store, refsOf('s1'));
      expect(await store.deleteSession({ rootId: 'nobody', sessionId: 'nobody' })).toBe(false);
      expect(await readEverything(store, refsOf('s1'))).toEqual(before);
    });

    it('deletes only what is still as it was read, where that is asked for', async () => {
      const { store } = await open();
      await seedTree(store, 's1');
      const ref = { rootId: 's1', sessionId: 's1' };
      const read = (await store.readSession(ref)) as SessionRow;
      expect(await store.commit(planFor(read))).toBe(true);
      const before = await readEverything(store, refsOf('s1'));
      expect(await store.deleteSession(ref, { version: read.version })).toBe(false);
      expect(await readEverything(store, refsOf('s1'))).toEqual(before);
      expect(await store.deleteSession(ref, { version: read.version + 1 })).toBe(true);
      expect(await store.readSession(ref)).toBeNull();
      expect(await store.commit(planFor({ ...read, version: read.version + 1 }))).toBe(false);
      expect(await store.deleteSession(ref, { version: read.version + 1 })).toBe(false);
    });

    it('excludes a commit that races with it: one of the two happens', async () => {
      const opened = await open();
      const { store } = opened;
      const other = (await opened.openSecond?.()) ?? store;
      for (let round = 0; round < 20; round += 1) {
        const rootId = `race-${round}`;
        const ref = { rootId, sessionId: rootId };
        await seedTree(store, rootId);
        const read = (await store.readSession(ref)) as SessionRow;
        const message = messageRow(2, { sessionId: rootId });
        const [deleted, committed] = await Promise.all([
          store.deleteSession(ref, { version: read.version }),
          other.commit({ ...planFor(read), insert: { messages: [message] } }),
        ]);
        expect([deleted, committed].filter(Boolean), rootId).toHaveLength(1);
        expect((await store.readSession(ref)) === null).toBe(deleted);
        expect(await store.readMessages(ref)).toHaveLength(deleted ? 0 : 2);
      }
    });

    it('leaves nothing of what is written while it is under way', async () => {
      const opened = await open();
      const { store, streams } = opened;
      const other = (await opened.openSecond?.()) ?? store;
      for (let round = 0; round < 30; round += 1) {
        const rootId = `busy-${round}`;
        const refs = refsOf(rootId) as [SessionRef, SessionRef];
        await seedTree(store, rootId);
        const writing = [
          ...refs.map((ref) => writeUntilGone(other, ref)),
          ...(streams ? [sayUntilGone(other, streams, rootId)] : []),
        ];
        for (let turns = round % 5; turns > 0; turns -= 1) await other.readSession(refs[0]);
        expect(await store.deleteSession(refs[0])).toBe(true);
        await Promise.all(writing);
        for (const ref of refs) expect(await store.readMessages(ref), rootId).toEqual([]);
        const said = (await streams?.readChunks(rootId)) ?? [];
        const head = (await streams?.getStreamInfo(rootId))?.head ?? 0;
        expect(said, 'what was said after it begins anew').toHaveLength(head);
      }
    });

    it('takes the stream along where it lives with the sessions', async ({ skip }) => {
      const { store, streams } = await open();
      if (!streams) return skip('this store has no streams');
      await seedTree(store, 's1');
      await seedTree(store, 's2');
      const base = { agentId: 's1', agentType: 'researcher', timestamp: T0, step: 1 };
      for (const streamId of ['s1', 's2']) {
        await streams.append(streamId, [{ chunk: { ...base, type: 'text_delta', delta: 'hi' } }]);
      }
      await store.deleteSession({ rootId: 's1', sessionId: 's1' });
      expect(await streams.getStreamInfo('s1')).toBeNull();
      expect(await streams.readChunks('s1')).toEqual([]);
      expect((await streams.getStreamInfo('s2'))?.head).toBe(1);
    });
  });
}
