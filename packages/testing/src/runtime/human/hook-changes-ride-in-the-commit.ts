// If this fails: what a hook noted in the state is lost or there twice after a crash, or a broken hook breaks the step.
import { HelixError, type AgentHooks } from '@helix-agents/core';
import type { CallOutcome } from '@helix-agents/core/store';
import type { CommitPlan } from '@helix-agents/core/store';
import { describe, expect } from 'vitest';
import { agent, clientTool, helper, serverTool, state, subAgent } from '../definitions.ts';
import { closesStep, records, setsStatus } from '../plan-kinds.ts';
import type { ProcessOptions } from '../process.ts';
import { call, finish, say, script } from '../script.ts';

import { answer, patiently, resumeOnce, runOnce, type Scenario, type World } from '../world.ts';

const DONE = { status: 'completed', output: 'done' };

interface Noted {
  notes: string[];
}

const note =
  (what: string) =>
  (_payload: unknown, context: Parameters<NonNullable<AgentHooks['onMessage']>>[1]): void =>
    context.updateState<Noted>((draft) => void draft.notes.push(what));

const NOTING: AgentHooks = {
  beforeLLMCall: note('beforeLLMCall'),
  afterLLMCall: note('afterLLMCall'),
  beforeTool: note('beforeTool'),
  onStateChange: note('onStateChange'),
  onMessage: ({ message }, context) => note(`onMessage ${message.role}`)(message, context),
  afterTool: ({ toolName }, context) => note(`afterTool ${toolName}`)(toolName, context),
  afterSubAgent: note('afterSubAgent'),
};

const NOTES_OF_STEP = [
  'beforeLLMCall',
  'afterLLMCall',
  'beforeTool',
  'worked',
  'onStateChange',
  'onMessage assistant',
  'onMessage tool',
  'afterTool work',
  'onMessage tool',
  'afterTool pick',
  'onMessage tool',
  'afterSubAgent',
];
const NOTES_OF_END = ['beforeLLMCall', 'afterLLMCall', 'onMessage assistant'];

export function hookChangesRideInTheCommit(it: Scenario): void {
  const child = helper('child');
  const work = serverTool('work', (_, context) =>
    context.updateState<Noted>((draft) => void draft.notes.push('worked')),
  );
  const noting = (hooks: AgentHooks): ReturnType<typeof agent> =>
    agent('root', [work, clientTool('pick'), subAgent(child)], {
      stateSchema: state({ notes: [] }),
      hooks,
    });
  const answers = {
    root: [call('work', 'pick', 'subagent__child'), say('done')],
    child: [finish('here')],
  };
  const toTheEnd = async (
    world: World,
    running: ProcessOptions,
    before: ProcessOptions['before'],
  ): Promise<void> => {
    const options = { ...running, ...(before ? { before } : {}) };
    const [root] = running.agents;
    await patiently(world, runOnce(world.process(options), root as never, 's'));
    await answer(world.process(running), 's', 'pick', 'red');
    expect(await patiently(world, resumeOnce(world.process(options), 's'))).toEqual(DONE);
  };

  describe('state changes of hooks', () => {
    const kinds = {
      plan: records('plan', 's'),
      result: records('result', 's'),
      suspension: setsStatus('suspended', 's'),
      close: closesStep,
    };
    for (const fault of ['fail-before', 'fail-after'] as const) {
      it(`ATOM-07 are in the state once when every commit is lost and repeated (${fault})`, async (world) => {
        const failed = new Map<string, number>();
        const before = (_: string, plan?: CommitPlan): 'pass' | typeof fault => {
          const kind = plan && Object.entries(kinds).find(([, matches]) => matches(plan))?.[0];
          if (!kind || failed.has(kind)) return 'pass';
          failed.set(kind, 1);
          return fault;
        };
        const model = script(answers);
        await toTheEnd(world, { model, agents: [noting(NOTING)] }, before);
        expect([...failed.keys()].toSorted()).toEqual(Object.keys(kinds).toSorted());
        const { notes } = (await world.session('s')).customState as unknown as Noted;
        expect(notes.toSorted()).toEqual([...NOTES_OF_STEP, ...NOTES_OF_END].toSorted());
      });
    }

    it('leave results as they are, also where a hook writes into what it is told of them', async (world) => {
      const meddle = ({ outcome }: { readonly outcome: CallOutcome }): void => {
        if (outcome.success) Object.assign(outcome.value as object, { said: 'meddled' });
      };
      const tell = serverTool('tell', () => ({ said: 'told' }));
      const root = agent('root', [tell, clientTool('pick'), subAgent(child)], {
        hooks: { afterTool: meddle, afterSubAgent: meddle },
      });
      const model = script({
        root: [call('tell', 'pick', 'subagent__child'), call('tell'), say('done')],
        child: [finish('here')],
      });
      const process = world.process({ model, agents: [root] });
      await runOnce(process, root, 's');
      await answer(process, 's', 'pick', { said: 'picked' });
      expect(await resumeOnce(process, 's')).toEqual(DONE);
      const said = ['told', 'picked', 'here', 'told'].map((what) => ({ said: what }));
      expect((await world.results('s')).map((text) => JSON.parse(text))).toEqual(said);
      const ends = (await world.chunksOf('s', 'tool_end')).filter(({ agentId }) => agentId === 's');
      expect(ends.map(({ result }) => result)).toEqual(expect.arrayContaining(said));
    });

    it('ATOM-07 are dropped with a hook that throws, whose step stands', async (world) => {
      const throwing: AgentHooks = {
        beforeTool: (payload, context) => {
          note('half')(payload, context);
          throw new Error('broken hook');
        },
        onMessage: async (payload, context) => {
          note('half')(payload, context);
          await Promise.reject(new Error('broken hook'));
        },
        afterTool: note('afterTool'),
      };
      const model = script(answers);
      await toTheEnd(world, { model, agents: [noting(throwing)] }, undefined);
      const { notes } = (await world.session('s')).customState as unknown as Noted;
      expect(notes).toEqual(['worked', 'afterTool', 'afterTool']);
    });

    it('ATOM-07 are dropped with a hook that hangs, and the run goes on without it', async (world) => {
      const late: (() => void)[] = [];
      const refused: unknown[] = [];
      const hanging: AgentHooks = {
        afterTool: (payload, context) => {
          note('half')(payload, context);
          late.push(() => {
            try {
              note('late')(payload, context);
            } catch (error) {
              refused.push(HelixError.isInstance(error) ? error.code : error);
            }
          });
          return new Promise(() => {});
        },
        onAgentComplete: () => new Promise(() => {}),
      };
      const root = agent('root', [work], { stateSchema: state({ notes: [] }), hooks: hanging });
      const model = script({ root: [call('work'), say('done')] });
      const limits = { hookTimeoutMs: 20 };
      const process = world.process({ model, agents: [root], limits });
      expect(await runOnce(process, root, 's')).toEqual(DONE);
      for (const change of late) change();
      expect(new Set(refused)).toEqual(new Set(['state_update_too_late']));
      const { notes } = (await world.session('s')).customState as unknown as Noted;
      expect(notes).toEqual(['worked']);
      const told = process.events.filter((one) => one.name === 'hook.failed');
      expect(told[0]).toMatchObject({
        level: 'error',
        data: { hook: 'afterTool', sessionId: 's' },
      });
    });

    it('stay when the tool they came before fails', async (world) => {
      const tools = [
        serverTool('throws', (_, context) => {
          context.updateState<Noted>((draft) => void draft.notes.push('half'));
          throw new Error('no');
        }),
        serverTool('late', () => new Promise(() => {}), { timeoutMs: 20 }),
      ];
      const root = agent('root', tools, {
        stateSchema: state({ notes: [] }),
        hooks: { beforeTool: ({ toolName }, context) => note(toolName)(toolName, context) },
      });
      const model = script({ root: [call('throws', 'late'), say('done')] });
      expect(await runOnce(world.process({ model, agents: [root] }), root, 's')).toEqual(DONE);
      expect((await world.session('s')).customState).toEqual({ notes: ['throws', 'late'] });
    });

    it('are refused in a hook that fires after its commit', async (world) => {
      const refused = new Map<string, unknown>();
      const trying =
        (name: string) =>
        (payload: unknown, context: Parameters<NonNullable<AgentHooks['onMessage']>>[1]): void => {
          try {
            note(name)(payload, context);
          } catch (error) {
            refused.set(name, HelixError.isInstance(error) ? error.code : error);
          }
        };
      const after = [
        'onAgentStart',
        'onAgentResumed',
        'beforeSubAgent',
        'onAgentSuspended',
        'onAgentComplete',
      ];
      const hooks = Object.fromEntries(after.map((name) => [name, trying(name)])) as AgentHooks;
      const model = script(answers);
      await toTheEnd(world, { model, agents: [noting(hooks)] }, undefined);
      expect([...refused.keys()].toSorted()).toEqual(after.toSorted());
      expect(new Set(refused.values())).toEqual(new Set(['state_update_too_late']));
      expect((await world.session('s')).customState).toEqual({ notes: ['worked'] });
    });
  });
}

/** Retries wait in the world's time: it has to pass. */
