// If this fails: a stream says what was never committed, or a session has ended and its stream does not say so.
import { canCarry, type FullStreamManager, type StreamWrite } from '@helix-agents/core/store';
import { describe, expect, it } from 'vitest';
import { entries, numbered, readAll, stored, textChunk } from '../stream/chunks.ts';
import { inParallel } from './everything.ts';
import type { OpenStore, Store } from './harness.ts';
import { freshCommitId, planFor, seed } from './plans.ts';
import { messageRow, sessionRow, T0 } from './rows.ts';

const row = sessionRow();
const STATUSES = ['active', 'paused', 'ended', 'failed'] as const;

function saying(given: Partial<StreamWrite> = {}): StreamWrite {
  return { streamId: 's1', agentId: 's1', agentType: 'researcher', entries: [], ...given };
}

const ENDED = { as: 'ended', output: 'done' } as const;

/** For stores that declare it: `carriesStreams`. */
export function commitCarriesAStream(open: OpenStore): void {
  const opened = async (): Promise<{ store: Store; streams: FullStreamManager }> => {
    const { store, streams } = await open();
    if (!streams || !canCarry(store, streams))
      throw new Error('It cannot carry writes to streams.');
    return { store, streams };
  };

  describe('a commit that carries a stream', () => {
    it('opens the stream, appends and closes it in the same write', async () => {
      const { store, streams } = await opened();
      const plan = { rootId: 's1', commitId: freshCommitId(), now: T0, guard: {} };
      const created = { ...plan, kind: 'create' as const, insert: { sessions: [row] } };
      expect(await store.commit({ ...created, stream: saying() })).toBe(true);
      expect(await streams.getStreamInfo('s1')).toEqual({
        status: 'active',
        head: 0,
        chunkCount: 0,
      });
      const last = saying({ entries: entries('1', '2'), close: ENDED });
      expect(await store.commit(planFor(row, { stream: last }))).toBe(true);
      expect(await readAll(await streams.createResumableReader('s1'))).toEqual(stored('1', '2'));
      expect((await streams.getStreamInfo('s1'))?.status).toBe('ended');
    });

    it('writes no chunk when it is refused', async () => {
      const { store, streams } = await opened();
      await seed(store, { sessions: [row], messages: [messageRow(1)] });
      const stream = saying({ entries: entries('1'), close: ENDED });
      const late = planFor({ ...row, version: 7 }, { stream });
      expect(await store.commit(late)).toBe(false);
      const taken = planFor(row, { insert: { messages: [messageRow(1)] }, stream });
      expect(await store.commit(taken)).toBe(false);
      expect(await streams.getStreamInfo('s1')).toBeNull();
    });

    it.each(STATUSES)('continues the numbers of a stream that is %s', async (status) => {
      const { store, streams } = await opened();
      await seed(store, { sessions: [row] });
      await streams.append('s1', entries('1'));
      if (status === 'paused') await streams.pauseStream('s1');
      if (status === 'ended') await streams.endStream('s1', 'first');
      if (status === 'failed') await streams.failStream('s1', 'gone');
      const stream = saying({ entries: entries('2', '3') });
      expect(await store.commit(planFor(row, { stream }))).toBe(true);
      expect((await streams.getStreamInfo('s1'))?.status).toBe('active');
      expect(await streams.append('s1', entries('4'))).toBe(4);
      expect(await streams.readChunks('s1')).toEqual(stored('1', '2', '3', '4'));
    });

    it('leaves out a chunk whose key was written before, or in the same write', async () => {
      const { store, streams } = await opened();
      await seed(store, { sessions: [row] });
      const keyed = (delta: string, dedupeKey: string): StreamWrite['entries'][number] => ({
        chunk: textChunk(delta),
        dedupeKey,
      });
      await streams.append('s1', [keyed('1', 'a')]);
      const said = [keyed('again', 'a'), keyed('2', 'b'), keyed('again', 'b'), ...entries('3')];
      expect(await store.commit(planFor(row, { stream: saying({ entries: said }) }))).toBe(true);
      expect(await streams.readChunks('s1')).toEqual(stored('1', '2', '3'));
    });

    it('writes to the stream of its own session when several commit at once', async () => {
      const { store, streams } = await opened();
      const names = numbered(20).map((name) => `s${name}`);
      for (const sessionId of names) await seed(store, { sessions: [sessionRow({ sessionId })] });
      const results = await inParallel(names.length, (index) => {
        const streamId = names[index] as string;
        const session = sessionRow({ sessionId: streamId, version: index % 4 === 0 ? 9 : 1 });
        const said = saying({ streamId, entries: entries(streamId), close: ENDED });
        return store.commit(planFor(session, { stream: said }));
      });
      for (const [index, streamId] of names.entries()) {
        const applied = index % 4 !== 0;
        expect(results[index]).toBe(applied);
        expect(await streams.readChunks(streamId)).toEqual(applied ? stored(streamId) : []);
      }
    });

    it('gives each number once when others append at the same time', async () => {
      const { store, streams } = await opened();
      await seed(store, { sessions: [row] });
      await streams.append('s1', entries('first'));
      await inParallel(12, async (index) => {
        if (index % 3 > 0) return streams.append('s1', entries(`${index}`));
        const session = { ...row, version: 1 + index / 3 };
        const plan = planFor(session, { stream: saying({ entries: entries(`${index}`) }) });
        return store.commit(plan);
      });
      const chunks = await streams.readChunks('s1');
      expect(chunks.map(({ sequence }) => sequence)).toEqual(chunks.map((_, index) => index + 1));
      expect((await streams.getStreamInfo('s1'))?.head).toBe(chunks.length);
      expect(chunks.length).toBeGreaterThanOrEqual(10);
    });

    it('wakes a reader that waits', async () => {
      const { store, streams } = await opened();
      await seed(store, { sessions: [row] });
      await streams.openStream('s1', 's1', 'researcher');
      const read = readAll(await streams.createResumableReader('s1'));
      const last = saying({ entries: entries('1'), close: ENDED });
      expect(await store.commit(planFor(row, { stream: last }))).toBe(true);
      if (canCarry(store, streams)) await streams.wake('s1');
      expect(await read).toEqual(stored('1'));
    });
  });
}
