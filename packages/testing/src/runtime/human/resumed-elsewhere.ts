// If this fails: a session goes on differently because another process resumed it, or because answers came in another
// order.
import { AgentAlreadyRunningError, type AgentHooks, type FunctionModel } from '@helix-agents/core';
import { describe, expect } from 'vitest';
import { agent, clientTool, gatedTool, helper, serverTool, subAgent } from '../definitions.ts';
import { onFirst, opensCalls } from '../plan-kinds.ts';
import { LEASE_MS, type ProcessOptions } from '../process.ts';
import { call, finish, say, script, timesAsked } from '../script.ts';
import { barrier, until } from '../waiting.ts';
import { answer, decide, resumeOnce, runOnce, waiting, type Scenario } from '../world.ts';

const DONE = { status: 'completed', output: 'done' };
const ASKED = expect.objectContaining({ execute: 'client' });

/** What the model was shown last, without the ids that only we know. */
function lastPrompt(model: FunctionModel, sessionId: string): string {
  const shown = model.calls.findLast((one) => one.agentId === sessionId);
  const messages = shown?.messages.map((message) => ({ ...message, id: null }));
  return JSON.stringify({ messages, tools: shown?.tools });
}

export function resumedElsewhere(it: Scenario): void {
  describe('a resume in another process', () => {
    it('RES-06 honours an approval in a process with objects of its own', async (world) => {
      const ran: string[] = [];
      const make = (): ProcessOptions => ({
        model: script({ root: [call('send', 'pay'), say('done')] }),
        agents: [
          agent('root', [
            gatedTool('send', (_, { toolCallId }) => ran.push(toolCallId)),
            gatedTool('pay', (_, { toolCallId }) => ran.push(toolCallId)),
          ]),
        ],
      });
      const first = make();
      await runOnce(world.process(first), first.agents[0] as never, 's');
      await decide(world.process(make()), 's', 'pay', true);
      expect(waiting(await resumeOnce(world.process(make()), 's'))).toEqual(['send']);
      expect(ran).toEqual(['pay']);
      await decide(world.process(make()), 's', 'send', true);
      expect(await resumeOnce(world.process(make()), 's')).toEqual(DONE);
      expect(ran).toEqual(['pay', 'send']);
    });

    it('RES-06 shares nothing between two copies of one session in a process', async (world) => {
      const ran: string[] = [];
      const root = agent('root', [gatedTool('send', (_, { sessionId }) => ran.push(sessionId))]);
      const running = { model: script({ root: [call('send'), say('done')] }), agents: [root] };
      for (const id of ['a', 'b']) await runOnce(world.process(running), root, id);
      const one = world.process(running);
      await decide(one, 'a', 'send', true);
      expect(waiting(await resumeOnce(one, 'b'))).toEqual(['send']);
      expect(await resumeOnce(one, 'a')).toEqual(DONE);
      expect(waiting(await resumeOnce(one, 'b'))).toEqual(['send']);
      expect(ran).toEqual(['a']);
      await decide(one, 'b', 'send', false);
      expect(await resumeOnce(one, 'b')).toEqual(DONE);
      expect(ran).toEqual(['a']);
    });

    it('RES-07 shows the model the same bytes whatever order people answered and tools finished in', async (world) => {
      const names = ['one', 'two', 'three'];
      const orders = { forward: names, backward: names.toReversed() };
      const prompts: string[] = [];
      for (const [id, order] of Object.entries(orders)) {
        const held = new Map(names.map((name) => [`slow-${name}`, barrier()]));
        const slow = names.map((name) =>
          serverTool(`slow-${name}`, async () => {
            await held.get(`slow-${name}`)?.pass();
            return name;
          }),
        );
        const child = helper('child', [clientTool('ask')]);
        const root = agent('root', [
          ...names.map((name) => clientTool(name)),
          ...slow,
          subAgent(child),
          gatedTool('send', () => ({ b: 1, a: [2] })),
        ]);
        const asked = ['one', 'slow-one', 'two', 'subagent__child', 'slow-two', 'three'];
        const model = script({
          root: [call(...asked, 'slow-three', 'send'), say('done')],
          child: [call('ask'), finish('here')],
        });
        const running = { model, agents: [root] };
        const ended = runOnce(world.process(running), root, id);
        for (const name of order) {
          await held.get(`slow-${name}`)?.reached;
          held.get(`slow-${name}`)?.open();
        }
        const open = waiting(await ended);
        const ask = open.find((one) => one.startsWith('ask')) as string;
        const steps = [
          () => answer(world.process(running), id, ask, 'asked'),
          ...names.map((name) => () => answer(world.process(running), id, name, { name })),
          () => decide(world.process(running), id, 'send', true),
        ];
        for (const step of id === 'forward' ? steps : steps.toReversed()) {
          await step();
          await resumeOnce(world.process(running), id);
        }
        expect(await world.session(id)).toMatchObject({ status: 'completed' });
        expect(timesAsked(model, 'root')).toBe(2);
        prompts.push(lastPrompt(model, id));
      }
      expect(prompts[1]).toBe(prompts[0]);
    });

    it('RES-08 names the run that was suspended and a new one, for root and child', async (world) => {
      const seen: { agentType: string; runId: string; previousRunId: string | null }[] = [];
      const hooks: AgentHooks = {
        onAgentResumed: ({ runId, previousRunId, sessionId }, context) => {
          expect(sessionId).toBe(context.sessionId);
          expect(runId).toBe(context.runId);
          seen.push({ agentType: context.agentType, runId, previousRunId });
        },
      };
      const child = helper('child', [clientTool('pick')]);
      const root = agent('root', [subAgent(child), clientTool('ask')]);
      const model = script({
        root: [call('subagent__child', 'ask'), say('done')],
        child: [call('pick'), finish('here')],
      });
      const running = { model, agents: [root], hooks };
      const first = await runOnce(world.process(running), root, 's');
      for (const id of waiting(first).toSorted()) {
        await answer(world.process(running), 's', id, 1);
        await resumeOnce(world.process(running), 's');
      }
      const runs = await world.runs('s');
      const chain = runs.map(({ runId, previousRunId }) => [runId, previousRunId]);
      expect(chain).toHaveLength(3);
      const unique = new Map(seen.map((one) => [one.runId, one]));
      const ofRoot = [...unique.values()].filter((one) => one.agentType === 'root');
      expect(ofRoot.map((one) => [one.runId, one.previousRunId])).toEqual(chain.slice(1));
      const childRuns = await world.runs('s-sub-1-0');
      const ofChild = [...unique.values()].filter((one) => one.agentType === 'child');
      expect(ofChild.map((one) => [one.runId, one.previousRunId])).toEqual([
        [childRuns[1]?.runId, childRuns[0]?.runId],
      ]);
      const resumed = await world.chunksOf('s', 'run_resumed');
      expect(resumed.map((one) => [one.runId, one.previousRunId])).toEqual(chain.slice(1));
    });

    for (const owner of ['s', 's-sub-1-0']) {
      it.leased(
        `K09 asks for ${owner} as soon as it is taken over from a process that died before it asked`,
        async (world) => {
          const held = barrier();
          const child = helper('child', [clientTool('pick')]);
          const slow = serverTool('slow', () => held.pass());
          const root = agent('root', [owner === 's' ? clientTool('pick') : subAgent(child), slow]);
          const model = script({
            root: [call(owner === 's' ? 'pick' : 'subagent__child', 'slow'), say('done')],
            child: [call('pick'), finish('here')],
          });
          const running = { model, agents: [root] };
          const first = world.process({
            ...running,
            after: onFirst(opensCalls, () => first.kill()),
          });
          await first.executor.execute(root, 'go', { sessionId: 's' });
          await until('it is dead', async () => {
            const known = (await world.sessions()).some((one) => one.sessionId === owner);
            return known && (await world.step(owner)).calls.length === 1;
          });
          expect(await world.chunksOf('s', 'tool_start')).not.toContainEqual(ASKED);
          await world.clock.skip(LEASE_MS + 1);
          const second = world.process(running);
          const ended = resumeOnce(second, 's');
          await held.reached;
          await until('a person is asked while the tool runs', async () =>
            (await world.chunksOf('s', 'tool_start')).some((one) => one.execute === 'client'),
          );
          const [pick] = await world.calls('s');
          expect(await answer(second, 's', pick?.toolCallId as string, 'red')).toEqual({
            status: 'accepted',
          });
          held.open();
          expect(await ended).toEqual(DONE);
          expect(timesAsked(model, owner === 's' ? 'root' : 'child')).toBe(2);
        },
      );
    }

    it('attaches to the run of another process when asked to, and makes none', async (world) => {
      const held = barrier();
      const root = agent('root', [clientTool('pick'), serverTool('slow', () => held.pass())]);
      const model = script({ root: [call('pick'), call('slow'), say('done')] });
      const running = { model, agents: [root] };
      await runOnce(world.process(running), root, 's');
      await answer(world.process(running), 's', 'pick', 'red');
      const [a, b, c] = [1, 2, 3].map(() => world.process(running).executor);
      const handle = await a?.resume('s', { ifRunning: 'attach' });
      await held.reached;
      await expect(b?.resume('s')).rejects.toThrow(AgentAlreadyRunningError);
      const attached = await c?.resume({ sessionId: 's', ifRunning: 'attach' });
      expect(attached?.runId).toBe(handle?.runId);
      // What else is asked for is not given up for the handle.
      for (const more of [
        { checkpointId: 'any' },
        { mode: 'with_message', message: 'new' },
      ] as const)
        await expect(b?.resume('s', { ifRunning: 'attach', ...more })).rejects.toThrow(
          AgentAlreadyRunningError,
        );
      held.open();
      expect(await attached?.result()).toEqual(DONE);
      expect(await handle?.result()).toEqual(DONE);
      expect(await world.runs('s')).toHaveLength(2);
    });

    it('gives ten that resume and attach at once the same run', async (world) => {
      const root = agent('root', [clientTool('pick')]);
      const model = script({ root: [call('pick'), say('done')] });
      const running = { model, agents: [root] };
      await runOnce(world.process(running), root, 's');
      await answer(world.process(running), 's', 'pick', 'red');
      const tried = await Promise.allSettled(
        Array.from({ length: 10 }, () =>
          world.process(running).executor.resume('s', { ifRunning: 'attach' }),
        ),
      );
      const handles = tried.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      expect(handles.length).toBeGreaterThan(0);
      expect(new Set(handles.map((one) => one.runId)).size).toBe(1);
      for (const handle of handles) expect(await handle.result()).toEqual(DONE);
      expect(timesAsked(model, 'root')).toBe(2);
      expect(await world.runs('s')).toHaveLength(2);
    });
  });
}
