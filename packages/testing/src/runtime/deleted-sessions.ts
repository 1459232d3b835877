// If this fails: what a person deleted comes back, because the run that was under way goes on talking.
import { canCarry, isRoot } from '@helix-agents/core/store';
import { describe, expect } from 'vitest';
import { agent, helper, serverTool, subAgent } from './definitions.ts';
import { call, finish, say, script, type Answer } from './script.ts';
import { barrier, until } from './waiting.ts';
import type { Scenario, World } from './world.ts';

/** As an application does it: all rows, and the stream where it is in another database. */
async function deleteAll(world: World): Promise<void> {
  for (const row of (await world.sessions()).toSorted(rootsLast)) {
    const store = world.storeOf(row);
    await store.deleteSession(row);
    if (isRoot(row) && !canCarry(store, world.streams))
      await world.streams.deleteStream(row.streamId);
  }
}

function rootsLast(a: { sessionId: string }, b: { sessionId: string }): number {
  return b.sessionId.length - a.sessionId.length;
}

async function nothingIsLeft(world: World, rootId: string): Promise<void> {
  expect(await world.sessions()).toEqual([]);
  expect(await world.streams.getStreamInfo(rootId)).toBeNull();
  expect(await world.chunks(rootId)).toEqual([]);
  expect(await world.calls(rootId)).toEqual([]);
}

export function deletedSessions(it: Scenario): void {
  describe('a session that is deleted while it runs', () => {
    it.race('stays deleted when its model goes on talking', async (world) => {
      const held = barrier();
      const talking: Answer = async ({ callbacks }) => {
        await callbacks.onTextDelta('before');
        await held.pass();
        await callbacks.onTextDelta('after');
        return say('done');
      };
      const root = agent('root', []);
      const process = world.process({ model: script({ root: [talking] }), agents: [root] });
      const handle = await process.executor.execute(root, 'go', { sessionId: 's' });
      await held.reached;
      await until('it has said something', async () => (await world.chunks('s')).length > 1);
      await deleteAll(world);
      held.open();
      await Promise.allSettled([handle.result()]);
      await process.executor.shutdown({ graceMs: 0 });
      await nothingIsLeft(world, 's');
    });

    it.race('stays deleted when its tool and its sub-agent go on', async (world) => {
      const held = barrier();
      const work = serverTool('work', async (_, context) => {
        await held.pass();
        await context.emit('progress', 50);
        return 'worked';
      });
      const child = helper('child', [work]);
      const root = agent('root', [subAgent(child)]);
      const model = script({
        root: [call('subagent__child'), say('done')],
        child: [call('work'), finish('found')],
      });
      const process = world.process({ model, agents: [root] });
      const handle = await process.executor.execute(root, 'go', { sessionId: 's' });
      await held.reached;
      await deleteAll(world);
      held.open();
      await Promise.allSettled([handle.result()]);
      await process.executor.shutdown({ graceMs: 0 });
      await nothingIsLeft(world, 's');
    });
  });
}
