import { InMemoryStateStore, InMemoryStreamManager } from '@helix-agents/store-memory';
import { seed, sessionRow, textChunk } from '@helix-agents/testing';
import { describe, expect, it } from 'vitest';

describe('InMemoryStateStore', () => {
  it('its sessions and index share one database, and clear() deletes everything', async () => {
    const state = new InMemoryStateStore();
    const streams = new InMemoryStreamManager({ database: state.database });
    await seed(state.sessions, { sessions: [sessionRow()] });
    await streams.append('s1', [{ chunk: textChunk('hi') }]);
    const reader = await streams.createReader('s1');
    expect(state.getAllSessionIds()).toEqual(['s1']);
    expect((await state.index.listSessions()).items).toHaveLength(1);
    state.clear();
    expect(state.getAllSessionIds()).toEqual([]);
    expect(await streams.getStreamInfo('s1')).toBeNull();
    for await (const _ of reader ?? []) expect.unreachable('a forgotten stream has no chunks');
  });

  it('its rows are frozen', async () => {
    const { sessions } = new InMemoryStateStore();
    await seed(sessions, { sessions: [sessionRow({ customState: { list: [1] } })] });
    const row = await sessions.readSession(sessionRow());
    expect(Object.isFrozen(row)).toBe(true);
    const { list } = row!.customState as { list: number[] };
    expect(Object.isFrozen(list)).toBe(true);
  });
});
