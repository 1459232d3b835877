// If this fails: what a hook tells the people who watch (a cost, a link, a reminder) never reaches them.
import type { HookContext, HookName, StreamChunk } from '@helix-agents/core';
import { HOOK_TABLE } from '@helix-agents/core';
import { describe, expect } from 'vitest';
import { agent, clientTool, helper, serverTool, state, subAgent } from '../definitions.ts';
import type { ProcessOptions } from '../process.ts';
import { call, finish, say, script } from '../script.ts';
import { answer, resumeOnce, runOnce, waiting, type Scenario, type World } from '../world.ts';
import { hookLog } from './hook-log.ts';

const MINUTE = 60_000;

export function hooksSpeak(it: Scenario): void {
  describe('chunks that hooks emit', () => {
    it('every hook reaches the stream, with a custom event and with a chunk of its own', async (world) => {
      const names = Object.keys(HOOK_TABLE) as HookName[];
      const { hooks } = hookLog((name, _, context) => speak(name, context));
      const child = helper('child', []);
      const write = serverTool('write', (_, context) =>
        context.updateState<{ n: number }>((draft) => {
          draft.n += 1;
        }),
      );
      const pick = clientTool('pick', { clientToolTimeoutMs: MINUTE });
      const root = agent('root', [write, pick, subAgent(child)], {
        stateSchema: state({ n: 0 }),
        hooks,
      });
      const failing = agent('failing', [], { hooks });
      const model = script({
        root: [call('write'), call('subagent__child'), call('pick'), say('done')],
        child: [finish('here')],
        failing: [
          () => {
            throw new Error('no model');
          },
        ],
      });
      const running: ProcessOptions = { model, agents: [root, failing] };
      const [open] = waiting(await runOnce(world.process(running), root, 's'));
      expect(await statusOf(world, 's')).toBe('paused');
      await world.clock.skip(50_000);
      await world.process(running).executor.sweep();
      expect(await statusOf(world, 's'), 'closed again').toBe('paused');
      await answer(world.process(running), 's', open as string, 'red');
      expect(await resumeOnce(world.process(running), 's')).toMatchObject({ status: 'completed' });
      await runOnce(world.process(running), failing, 'f');
      expect(await statusOf(world, 's')).toBe('ended');
      expect(await statusOf(world, 'f')).toBe('failed');
      for (const part of ['event', 'chunk']) {
        const heard = new Set([
          ...(await spoken(world, 's', part)),
          ...(await spoken(world, 'f', part)),
        ]);
        expect([...heard].toSorted()).toEqual(names.toSorted());
      }
    });

    it('who reads a run hears what the hooks of its end say, before the end', async (world) => {
      const { hooks } = hookLog((name, _, context) => speak(name, context));
      const root = agent('root', [clientTool('pick')], { hooks });
      const model = script({ root: [call('pick'), say('done')] });
      const process = world.process({ model, agents: [root] });
      const handle = await process.executor.execute(root, 'go', { sessionId: 's' });
      const heard = await heardIn(await handle.stream());
      expect(heard.slice(-3)).toEqual(['onAgentSuspended', 'onRunEnded', 'run_suspended']);
      await answer(process, 's', 'pick', 'red');
      const resumed = await process.executor.resume('s');
      const then = await heardIn(await resumed.stream());
      expect(then.slice(-4)).toEqual(['onAgentComplete', 'onRunEnded', 'output', 'run_completed']);
    });
  });
}

async function speak(name: HookName, context: HookContext): Promise<void> {
  await context.emitCustom(name, { part: 'event' });
  const { sessionId: agentId, agentType, stepId: step } = context;
  const base = { agentId, agentType, step, timestamp: 0 };
  await context.emit({ ...base, type: 'custom', name, data: { part: 'chunk' } });
}

async function statusOf(world: World, streamId: string): Promise<string | undefined> {
  return (await world.streams.getStreamInfo(streamId))?.status;
}

async function spoken(world: World, rootId: string, part: string): Promise<string[]> {
  return (await world.chunksOf(rootId, 'custom')).flatMap(({ name, data }) =>
    Reflect.get(data as object, 'part') === part ? [name] : [],
  );
}

/** Types of the chunks; of a custom one its name. A host may repeat an operation, and what its hooks say with it. */
async function heardIn(stream: AsyncIterable<StreamChunk> | null): Promise<string[]> {
  const heard = new Set<string>();
  for await (const chunk of stream ?? [])
    heard.add(chunk.type === 'custom' ? chunk.name : chunk.type);
  return [...heard];
}
