// If this fails: a tool runs that should have been asked about because its rule was broken, or a person is asked about
// a call that cannot run.
import type { AgentConfig, Tool } from '@helix-agents/core';
import { describe, expect } from 'vitest';
import { agent, fields, gatedTool, serverTool } from '../definitions.ts';
import { call, say, script, use } from '../script.ts';
import { decide, resumeOnce, runOnce, waiting, type Scenario } from '../world.ts';

const DONE = { status: 'completed', output: 'done' };

const BROKEN: { readonly [name: string]: () => unknown } = {
  throws: () => {
    throw new Error('no rule');
  },
  rejects: () => Promise.reject(new Error('no rule')),
  nothing: () => undefined,
  'promise-of-nothing': () => Promise.resolve(undefined),
  text: () => 'false',
  'promise-of-text': () => Promise.resolve('false'),
  zero: () => 0,
  null: () => null,
  hangs: () => new Promise(() => {}),
};

/** What `defineTool` and `defineAgent` refuse, of definitions that went by them. */
const NO_RULES: readonly unknown[] = ['yes', 'false', 1, 0, null, {}, []];

export function approvalRules(it: Scenario): void {
  describe('approval rules', () => {
    it('refuses an agent whose rule is neither a boolean nor a function', async (world) => {
      const ran: string[] = [];
      const send = serverTool('send', () => ran.push('send'));
      const model = script({ root: [call('send'), say('done')] });
      for (const [index, rule] of NO_RULES.entries()) {
        const odd = { ...send, requireApproval: rule } as unknown as Tool;
        const root: AgentConfig = { ...agent('root', []), tools: [odd] };
        const process = world.process({ model, agents: [] });
        await expect(runOnce(process, root, `s${index}`)).rejects.toThrow(
          '`requireApproval` must be true, false or a function',
        );
      }
      expect(ran).toEqual([]);
    });

    for (const [name, rule] of Object.entries(BROKEN)) {
      it(`APPR-03 asks when the rule answers with: ${name}`, async (world) => {
        const ran: string[] = [];
        const send = gatedTool('send', () => ran.push('send'), {
          requireApproval: rule as () => boolean,
        });
        const root = agent('root', [send]);
        const model = script({ root: [call('send'), say('done')] });
        const running = { model, agents: [root], limits: { approvalPredicateMs: 20 } };
        const first = world.process(running);
        expect(waiting(await runOnce(first, root, 's'))).toEqual(['send']);
        expect(ran).toEqual([]);
        const told = first.events.filter((one) => one.name.startsWith('approval.predicate_'));
        expect(told[0]).toMatchObject({ level: 'warn', data: { toolName: 'send' } });
        await decide(world.process(running), 's', 'send', true);
        expect(await resumeOnce(world.process(running), 's')).toEqual(DONE);
        expect(ran).toEqual(['send']);
      });
    }

    it('APPR-03 decides once, with the input and the state, and a rule that changed is not asked again', async (world) => {
      const asked: unknown[] = [];
      const ran: string[] = [];
      const pay = (limit: number): ReturnType<typeof gatedTool> =>
        gatedTool('pay', ({ amount }) => ran.push(JSON.stringify(amount)), {
          requireApproval: (input: unknown, context: { toolCallId: string }) => {
            asked.push([context.toolCallId, input]);
            return (input as { amount: number }).amount > limit;
          },
        });
      const model = script({
        root: [
          call(use('pay', { amount: 5 }, 'small'), use('pay', { amount: 50 }, 'large')),
          say('done'),
        ],
      });
      const root = agent('root', [pay(10)]);
      const first = world.process({ model, agents: [root] });
      expect(waiting(await runOnce(first, root, 's'))).toEqual(['large']);
      expect(ran).toEqual(['5']);
      const lax = { model, agents: [agent('root', [pay(1_000)])] };
      expect(waiting(await resumeOnce(world.process(lax), 's'))).toEqual(['large']);
      await decide(world.process(lax), 's', 'large', true);
      expect(await resumeOnce(world.process(lax), 's')).toEqual(DONE);
      expect(ran).toEqual(['5', '50']);
      expect(asked).toEqual([
        ['small', { amount: 5 }],
        ['large', { amount: 50 }],
      ]);
    });

    it('APPR-03 asks nobody about arguments that are not valid', async (world) => {
      const asked: string[] = [];
      const send = gatedTool('send', () => asked.push('ran'), {
        inputSchema: fields({ to: 'string' }),
        requireApproval: () => {
          asked.push('rule');
          return true;
        },
      });
      const root = agent('root', [send]);
      const model = script({ root: [call(use('send', { to: 7 })), say('done')] });
      expect(await runOnce(world.process({ model, agents: [root] }), root, 's')).toEqual(DONE);
      expect(asked).toEqual([]);
      expect(await world.calls('s')).toEqual([]);
      expect(await world.chunksOf('s', 'tool_approval_request')).toEqual([]);
      const [, , result] = await world.messages('s');
      expect(result).toMatchObject({ success: false, errorDetail: { code: 'tool_input_invalid' } });
    });
  });
}
