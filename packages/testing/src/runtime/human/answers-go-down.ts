// If this fails: an answer that was accepted at the root is lost on its way down to the sub-agent that asked.
import type { CommitPlan } from '@helix-agents/core/store';
import { expect } from 'vitest';
import { agent, clientTool, helper, serverTool, subAgent } from '../definitions.ts';
import { runsOut } from '../leases.ts';
import { onEach, onFirst } from '../plan-kinds.ts';
import type { ProcessOptions } from '../process.ts';
import { call, finish, say, script } from '../script.ts';
import { barrier, until, type Barrier } from '../waiting.ts';
import { answer, resumeOnce, runOnce, type Scenario, type World } from '../world.ts';

const ROOT = { rootId: 's', sessionId: 's' };
const CHILD = 's-sub-1-0';
const DONE = { status: 'completed', output: 'done' };

export function answersGoDown(it: Scenario): void {
  it.apart(
    'an answer on its way down is taken in although the sub-agent suspends before it arrives',
    async (world) => {
      const { tree, works, worksAgain } = await answeredWhileItWorks(world);
      const suspendsFirst = async (): Promise<void> => {
        works.open();
        await until('it waits', async () => (await world.session(CHILD)).status !== 'running');
      };
      worksAgain.open();
      await runsOut(world, ROOT);
      const second = world.process({ ...tree, before: onEach(handsDown, suspendsFirst) });
      expect(await resumeOnce(second, 's')).toEqual(DONE);
      expect(await world.results(CHILD)).toEqual(['blue', 'worked', 'worked', '{"said":"over"}']);
    },
  );

  it.apart(
    'an answer on its way down leaves settled what it finds settled when it comes again',
    async (world) => {
      const { tree, works, worksAgain } = await answeredWhileItWorks(world);
      const held = barrier();
      let cameAgain = false;
      const second = world.process({
        ...tree,
        before: onEach(handsDown, () => held.pass()),
        after: onFirst(handsDown, () => void (cameAgain = true)),
      });
      await runsOut(world, ROOT);
      resumeOnce(second, 's').catch(() => undefined);
      await held.reached;
      await runsOut(world, ROOT);
      const ended = resumeOnce(world.process(tree), 's');
      await until('it has arrived', async () => (await stateThere(world)) === 'answered');
      works.open();
      await worksAgain.reached;
      expect(await stateThere(world)).toBe('settled');
      held.open();
      await until('it came again', () => cameAgain);
      expect(await stateThere(world)).toBe('settled');
      worksAgain.open();
      expect(await ended).toEqual(DONE);
    },
  );
}

interface Answered {
  /** For processes that take the root over. */
  readonly tree: Pick<ProcessOptions, 'model' | 'agents'>;
  /** Holds the tool beside the question. */
  readonly works: Barrier;
  /** Holds the one after it. */
  readonly worksAgain: Barrier;
}

/** A process drives a sub-agent, whose lease goes on, that has asked and still works; the answer is stored at the root, and not yet at the sub-agent. */
async function answeredWhileItWorks(world: World): Promise<Answered> {
  const [works, worksAgain] = [barrier(), barrier()];
  const working = (name: string, held: Barrier) =>
    serverTool(name, async () => {
      await held.pass();
      return 'worked';
    });
  const pick = clientTool('pick', { clientToolTimeoutMs: 'never' });
  const tools = [pick, working('work', works), working('more', worksAgain)];
  const root = agent('root', [subAgent(helper('child', tools))]);
  const model = script({
    root: [call('subagent__child'), say('done')],
    child: [call('pick', 'work'), call('more'), finish('over')],
  });
  const tree = { model, agents: [root] };
  const first = world.process(tree);
  runOnce(first, root, 's').catch(() => undefined);
  await works.reached;
  await until('it asks at the root', async () => (await world.calls('s')).length > 0);
  const [asked] = await world.calls('s');
  expect(await answer(first, 's', asked?.toolCallId ?? '', 'blue')).toEqual({ status: 'accepted' });
  expect(await stateThere(world)).toBe('open');
  return { tree, works, worksAgain };
}

/** Of the call at the sub-agent. */
async function stateThere(world: World): Promise<string | undefined> {
  const ref = { rootId: 's', sessionId: CHILD };
  const [row] = await world.storeOf(ref).readCalls('s');
  return row?.state;
}

/** Answers for a sub-agent that somebody drives, and nothing else. */
function handsDown({ sessions, update }: CommitPlan): boolean {
  const [child] = sessions ?? [];
  return child?.sessionId === CHILD && !child.set && (update?.calls?.length ?? 0) > 0;
}
