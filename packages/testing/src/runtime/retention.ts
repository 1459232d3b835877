// If this fails: old sessions stay for ever, or a session that somebody still needs is deleted.
import { canCarry } from '@helix-agents/core/store';
import { describe, expect } from 'vitest';
import { agent, clientTool, helper, serverTool, subAgent } from './definitions.ts';
import { call, finish, say, script } from './script.ts';
import { until } from './waiting.ts';
import { answer, resumeOnce, runOnce, waiting, type Scenario, type World } from './world.ts';

const DAY = 24 * 60 * 60_000;
const DONE = { status: 'completed', output: 'done' };

export function retention(it: Scenario): void {
  const child = helper('child', [serverTool('look', () => 'seen')]);
  const parent = agent('parent', [subAgent(child)]);
  const asking = agent('asking', [clientTool('pick')]);
  const plain = agent('plain', []);
  const untilStopped = serverTool('wait', (_, { abortSignal }) => {
    const { promise, reject } = Promise.withResolvers<never>();
    abortSignal.addEventListener('abort', () => reject(new Error('stopped')));
    return promise;
  });
  const stopped = agent('stopped', [clientTool('pick'), untilStopped]);
  const agents = [parent, asking, plain, stopped];
  const model = script({
    parent: [call('subagent__child'), say('done')],
    child: [call('look'), finish('here')],
    asking: [call('pick'), say('done')],
    plain: [say('one'), say('two'), say('three')],
    stopped: [call('pick', 'wait'), say('done')],
  });
  const start = (
    world: World,
    before?: (method: string) => Promise<void>,
    after?: (method: string) => Promise<void>,
  ) =>
    world.process({
      model,
      agents,
      ...(before && {
        before: async (method) => {
          await before(method);
          return 'pass' as const;
        },
      }),
      ...(after && { after }),
    });
  const idsOf = async (world: World): Promise<string[]> =>
    (await world.sessions()).map((row) => row.sessionId).toSorted();

  describe('retention', () => {
    it('deletes what ended long ago with all below it, and nothing that waits or is new', async (world) => {
      const process = start(world);
      expect(await runOnce(process, parent, 'old')).toEqual(DONE);
      await runOnce(process, plain, 'old-too');
      waiting(await runOnce(process, asking, 'suspended'));
      await runOnce(process, asking, 'interrupted');
      await process.executor.interrupt('interrupted');
      await world.clock.skip(10 * DAY);
      await runOnce(process, plain, 'new');

      expect(await process.executor.pruneSessions({ olderThan: DAY })).toEqual({
        pruned: 2,
        cursor: null,
      });
      expect(await idsOf(world)).toEqual(['interrupted', 'new', 'suspended']);
      for (const streamId of ['old', 'old-too']) {
        expect(await world.streams.getStreamInfo(streamId)).toBeNull();
      }
      expect(await world.chunks('suspended')).not.toEqual([]);
      const all = ['completed', 'failed', 'interrupted'] as const;
      await process.executor.pruneSessions({ olderThan: DAY, statuses: all });
      expect(await idsOf(world)).toEqual(['new', 'suspended']);
      expect(await runOnce(process, plain, 'old-too')).toMatchObject({ output: 'one' });
    });

    it('does not touch an answered session that nobody has resumed, however old', async (world) => {
      const process = start(world);
      await runOnce(process, asking, 's');
      await answer(process, 's', 'pick', 'red');
      await world.clock.skip(400 * DAY);
      expect(await process.executor.pruneSessions({ olderThan: 0 })).toMatchObject({ pruned: 0 });
      expect(await resumeOnce(start(world), 's')).toEqual(DONE);
    });

    it('loses against whoever takes the session up in the same moment', async (world) => {
      const other = start(world);
      await runOnce(other, plain, 's');
      await world.clock.skip(10 * DAY);
      const pruning = start(world, async (method) => {
        if (method === 'deleteSession') await runOnce(other, plain, 's');
      });
      expect(await pruning.executor.pruneSessions({ olderThan: DAY })).toMatchObject({ pruned: 0 });
      expect((await world.messages('s')).map((one) => one.content)).toEqual([
        'go',
        'one',
        'go',
        'two',
      ]);
      expect((await world.chunks('s')).at(-1)?.chunk.type).toBe('run_completed');
    });

    it('leaves the stream to a session that is made anew right after it', async (world) => {
      const other = start(world);
      await runOnce(other, plain, 's');
      await world.clock.skip(10 * DAY);
      const [session] = await world.sessions();
      // A stream in another database is deleted by its name, also when a new session writes to it by then.
      if (!session || !canCarry(world.storeOf(session), world.streams)) return;
      const pruning = start(world, undefined, async (method) => {
        if (method === 'deleteSession') await runOnce(other, plain, 's');
      });
      expect(await pruning.executor.pruneSessions({ olderThan: DAY })).toMatchObject({ pruned: 1 });
      expect(await world.messages('s')).toHaveLength(2);
      expect((await world.chunks('s')).at(-1)?.chunk.type).toBe('run_completed');
    });

    it('goes on where it stopped, and refuses statuses of sessions that are at work', async (world) => {
      const process = start(world);
      for (const id of ['a', 'b', 'c']) await runOnce(process, plain, id);
      await world.clock.skip(10 * DAY);
      const some = { olderThan: DAY, limit: 2 };
      const { pruned, cursor } = await process.executor.pruneSessions(some);
      expect([pruned, typeof cursor]).toEqual([2, 'string']);
      const rest = { ...some, ...(cursor !== null && { cursor }) };
      expect(await process.executor.pruneSessions(rest)).toEqual({ pruned: 1, cursor: null });
      const running = { olderThan: 0, statuses: ['suspended_client_tool' as 'failed'] };
      await expect(process.executor.pruneSessions(running)).rejects.toMatchObject({
        code: 'INVALID_REQUEST',
      });
      await expect(process.executor.pruneSessions({ olderThan: -1 })).rejects.toMatchObject({
        code: 'INVALID_REQUEST',
      });
    });

    it('comes to the end past sessions that have to stay', async (world) => {
      const process = start(world);
      await runOnce(process, plain, 'old');
      await world.clock.skip(DAY);
      for (const id of ['stays', 'stays-too']) {
        const ended = runOnce(process, stopped, id);
        await until('it asks', async () => (await world.chunksOf(id, 'tool_start')).length > 0);
        await process.executor.interrupt(id);
        expect(await ended).toEqual({ status: 'interrupted' });
      }
      await world.clock.skip(10 * DAY);
      const statuses = ['completed', 'interrupted'] as const;
      let total = 0;
      let calls = 0;
      let cursor: string | null | undefined;
      do {
        const options = { olderThan: DAY, statuses, limit: 1, ...(cursor && { cursor }) };
        const summary = await process.executor.pruneSessions(options);
        ({ cursor } = summary);
        total += summary.pruned;
        calls += 1;
      } while (cursor && calls < 10);
      expect([total, cursor]).toEqual([1, null]);
      expect(await idsOf(world)).toEqual(['stays', 'stays-too']);
    });

    it('drops the chunks of earlier runs, and the stream goes on', async (world) => {
      const process = start(world);
      await runOnce(process, plain, 's');
      const first = (await world.chunks('s')).length;
      await runOnce(process, plain, 's');
      await runOnce(process, asking, 'suspended');
      const before = await world.chunks('s');
      await world.clock.skip(10 * DAY);
      expect(await process.executor.trimStreams({ olderThan: DAY })).toEqual({
        trimmed: 1,
        cursor: null,
      });
      expect(await world.chunks('s')).toEqual(before.slice(first));
      await runOnce(process, plain, 's');
      const after = await world.chunks('s');
      expect(after.map((one) => one.sequence)).toEqual(after.map((_, index) => first + 1 + index));
      expect(after.at(-1)?.chunk.type).toBe('run_completed');
      await process.executor.pruneSessions({ olderThan: 0 });
    });
  });
}
