// If this fails: a stream goes on to show what a model said although it is in no transcript, or a call that has ended as one that
// runs, because the process that closed the session died or could not write.
import type { AgentConfig } from '@helix-agents/core';
import { expect } from 'vitest';
import { cut, SAID, toldText } from './cut-models.ts';
import { agent, helper, serverTool, subAgent } from './definitions.ts';
import { onFirst, setsStatus } from './plan-kinds.ts';
import { call, finish, say, script, use } from './script.ts';
import { askingChildren, comesBack } from './unreachable-kit.ts';
import { barrier, heldUntilStopped, until, type Barrier } from './waiting.ts';
import { patiently, resumeOnce, runOnce, type Scenario, type World } from './world.ts';

const DONE = { status: 'completed', output: 'done' };
const CHILD = 's-sub-1-0';

/** The model of `speaker` is cut in mid-sentence: its process dies, and then one that aborts, right after its write. */
async function abortedByTheDying(
  world: World,
  { root, model, held }: CutTree,
  speaker: string,
): Promise<void> {
  const a = world.process({ model, agents: [root] });
  const b = world.process({
    model,
    agents: [root],
    after: onFirst(setsStatus('failed', 's'), () => b.kill()),
  });
  await a.executor.execute(root, 'first', { sessionId: 's' });
  await held.reached;
  await until('it is told', async () => (await toldText(world, speaker)).length > 0);
  a.kill();
  void b.executor.abort('s');
  await until('it is aborted', async () => (await world.session('s')).status === 'failed');
  expect(await toldText(world, speaker)).toEqual([SAID]);
  const c = world.process({ model, agents: [root] });
  await c.executor.sweep();
  await c.executor.getHandle(root, 's');
  expect(await toldText(world, speaker)).toEqual([]);
}

interface CutTree {
  readonly root: AgentConfig;
  readonly model: ReturnType<typeof script>;
  readonly held: Barrier;
}

/** A sub-agent whose model is cut in mid-sentence. */
function cutChild(): CutTree {
  const held = barrier();
  const root = agent('root', [subAgent(helper('child'))]);
  const model = script({
    root: [call('subagent__child'), say('done')],
    child: [cut(held, undefined, finish('late'))],
  });
  return { root, model, held };
}

/** No group of its own: on a runtime without leases it would be empty. */
export function withdrawnText(it: Scenario): void {
  it.leased(
    'STRM-03 is withdrawn when the process that aborts a root dies right after its write',
    async (world) => {
      const held = barrier();
      const model = script({ root: [cut(held)] });
      await abortedByTheDying(world, { root: agent('root', []), model, held }, 's');
    },
  );

  it.leased(
    'STRM-03 is withdrawn when the process that aborts a sub-agent dies right after its write',
    (world) => abortedByTheDying(world, cutChild(), CHILD),
  );

  it.leased(
    'STRM-03 is withdrawn when an answer was only in the memory of a process that dies at a stop',
    async (world) => {
      const held = barrier();
      const slow = serverTool('slow', async (_input, context) => {
        await heldUntilStopped(held, context);
        return 'slow';
      });
      const root = agent('root', [slow], { durability: 'step' });
      const model = script({
        root: [{ type: 'tool_calls', content: SAID, toolCalls: [use('slow')] }, say('done')],
      });
      const a = world.process({
        model,
        agents: [root],
        after: onFirst(setsStatus('interrupted', 's'), () => a.kill()),
      });
      const b = world.process({ model, agents: [root] });
      await a.executor.execute(root, 'first', { sessionId: 's' });
      await held.reached;
      await b.executor.interrupt('s');
      await until('it stops', async () => (await world.session('s')).status === 'interrupted');
      held.open();
      expect(await resumeOnce(b, 's')).toEqual(DONE);
      const said = (await world.messages('s')).filter(({ role }) => role === 'assistant');
      expect(await toldText(world)).toEqual(said.map(({ content }) => content));
    },
  );

  it.apart(
    'STRM-03 is withdrawn when its sub-agent can be reached again, after its root has ended',
    async (world) => {
      const { root, model, held } = cutChild();
      const down = new Set<string>();
      const process = world.process({ model, agents: [root], down });
      const ended = runOnce(process, root, 's');
      await held.reached;
      expect(await process.executor.interrupt('s')).toMatchObject({ status: 'requested' });
      expect(await ended).toEqual({ status: 'interrupted' });
      down.add(CHILD);
      expect(await patiently(world, resumeOnce(process, 's'))).toEqual(DONE);
      expect(await toldText(world, CHILD)).toEqual([SAID]);
      await comesBack(world, process, down);
      expect(await toldText(world, CHILD)).toEqual([]);
      expect(await world.streams.getStreamInfo('s')).toMatchObject({ status: 'ended' });
    },
  );

  it.apart(
    'STRM-02 is followed by the end of a call of a sub-agent whose close got no reply',
    async (world) => {
      const { root, model } = askingChildren(1, [say('done')]);
      const down = new Set<string>();
      const process = world.process({
        model,
        agents: [root],
        down,
        after: onFirst(setsStatus('failed', CHILD), () => void down.add(CHILD)),
      });
      await runOnce(process, root, 's');
      const turn = await process.executor.execute(root, 'forget it', {
        sessionId: 's',
        onMessageWhileSuspended: 'supersede',
      });
      expect(await turn.result()).toEqual(DONE);
      const ended = async (): Promise<number> =>
        (await world.chunksOf('s', 'tool_end')).filter(({ agentId }) => agentId === CHILD).length;
      expect(await ended()).toBe(0);
      await comesBack(world, process, down);
      expect(await ended()).toBe(1);
      expect(await world.streams.getStreamInfo('s')).toMatchObject({ status: 'ended' });
    },
  );
}
