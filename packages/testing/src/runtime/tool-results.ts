// If this fails: one bad call of the model, or one bad tool, leaves a history that no provider takes, and the session is
// lost for good.
import type { JsonValue, LLMToolCall } from '@helix-agents/core';
import { describe, expect } from 'vitest';
import { agent, fields, gatedTool, serverTool } from './definitions.ts';
import { call, say, script, timesAsked, use } from './script.ts';
import { barrier } from './waiting.ts';
import { decide, resumeOnce, runOnce, waiting, type Scenario, type World } from './world.ts';

const DONE = { status: 'completed', output: 'done' };

export function toolResults(it: Scenario): void {
  describe('results of calls', () => {
    const names = [
      'nobody',
      'constructor',
      '__proto__',
      'toString',
      'load_skill',
      'subagent__ghost',
    ];
    it(`ATOM-11 refuses names that are no tools: ${names.join(', ')}`, async (world) => {
      const root = agent('root', [serverTool('look', () => 'seen')]);
      const model = script({ root: [call(...names, 'look'), say('done')] });
      const process = world.process({ model, agents: [root] });
      expect(await runOnce(process, root, 's')).toEqual(DONE);
      expect(await codes(world)).toEqual([...names.map(() => 'tool_not_found'), null]);
    });

    it('ATOM-11 refuses input that does not fit, and does not run the tool', async (world) => {
      const ran: unknown[] = [];
      const look = serverTool('look', (input) => ran.push(input), {
        inputSchema: fields({ where: 'string' }),
      });
      const root = agent('root', [look]);
      const inputs: JsonValue[] = [null, '', [], { where: 7 }, 'text', { where: 'here' }];
      const calls: LLMToolCall[] = inputs.map((input, n) => use('look', input, `call-${n}`));
      const broken = { ...use('look', null, 'broken'), invalidArguments: '{"where": "he' };
      const model = script({ root: [call(...calls, broken), say('done')] });
      const process = world.process({ model, agents: [root] });
      expect(await runOnce(process, root, 's')).toEqual(DONE);
      const refused = 'tool_input_invalid';
      expect(await codes(world)).toEqual([...inputs.slice(1).map(() => refused), null, refused]);
      expect(ran).toEqual([{ where: 'here' }]);
    });

    it('ATOM-11 renames a call id that the model uses twice in one answer', async (world) => {
      const root = agent('root', [serverTool('look', ({ n }) => n)]);
      const twice = call(use('look', { n: 1 }, 'same'), use('look', { n: 2 }, 'same'));
      const model = script({ root: [twice, say('done')] });
      expect(await runOnce(world.process({ model, agents: [root] }), root, 's')).toEqual(DONE);
      expect(await world.results('s')).toEqual(['1', '2']);
    });

    it('refuses what does not fit the outputSchema of its tool, and tells that it ran', async (world) => {
      const outputSchema = fields({ sum: 'number' });
      const ran: string[] = [];
      const tools = [
        serverTool('fits', () => ({ sum: 3, cents: 5 }), { outputSchema }),
        serverTool('breaks', () => ran.push('breaks') && { sum: 'three' }, { outputSchema }),
        gatedTool('approved', () => ran.push('approved') && null, { outputSchema }),
      ];
      const root = agent('root', tools);
      const model = script({ root: [call(...tools.map((tool) => tool.name)), say('done')] });
      const process = world.process({ model, agents: [root] });
      expect(waiting(await runOnce(process, root, 's'))).toEqual(['approved']);
      await decide(process, 's', 'approved', true);
      expect(await resumeOnce(process, 's')).toEqual(DONE);
      expect(ran).toEqual(['breaks', 'approved']);
      expect(await codes(world)).toEqual([null, 'tool_output_invalid', 'tool_output_invalid']);
      expect(await world.results('s')).toEqual([
        '{"sum":3,"cents":5}',
        expect.stringContaining('The tool breaks ran, but'),
        expect.stringContaining('must be an object'),
      ]);
    });

    it('turns whatever a tool throws or returns into a result', async (world) => {
      const cyclic: { self?: unknown } = {};
      cyclic.self = cyclic;
      const throwing = (thrown: unknown) => () => {
        throw thrown;
      };
      const tools = [
        serverTool('throws', throwing(new Error('broken'))),
        serverTool('throwsText', throwing('just text')),
        serverTool('rejects', () => Promise.reject(new Error('late'))),
        serverTool('nothing', () => undefined),
        serverTool('cyclic', () => cyclic),
        serverTool('function', () => () => 1),
        serverTool('bigint', () => 1n),
        serverTool('falsy', () => false),
      ];
      const root = agent('root', tools);
      const model = script({ root: [call(...tools.map((tool) => tool.name)), say('done')] });
      expect(await runOnce(world.process({ model, agents: [root] }), root, 's')).toEqual(DONE);
      expect(await codes(world)).toEqual([
        'tool_execution_failed',
        'tool_execution_failed',
        'tool_execution_failed',
        null,
        'tool_result_unserializable',
        'tool_result_unserializable',
        'tool_result_unserializable',
        null,
      ]);
      expect((await world.results('s')).slice(0, 4)).toEqual([
        'Error: broken',
        'Error: just text',
        'Error: late',
        'null',
      ]);
    });

    it('keeps nothing of what a failing tool did to the state', async (world) => {
      const fails = serverTool('fails', (_, ctx) => {
        ctx.updateState<{ tried?: boolean }>((draft) => {
          draft.tried = true;
        });
        throw new Error('after all');
      });
      const root = agent('root', [fails]);
      const model = script({ root: [call('fails'), say('done')] });
      await runOnce(world.process({ model, agents: [root] }), root, 's');
      expect((await world.session('s')).customState).toEqual({});
    });

    it('ATOM-09 keeps 0.9 MB, refuses 1.5 and 5 MB with a tool error, and goes on', async (world) => {
      const big = serverTool('big', ({ size }) => 'x'.repeat(size as number));
      const root = agent('root', [big]);
      const sizes = [900_000, 1_500_000, 5_000_000].map((size) => use('big', { size }, `${size}`));
      const model = script({ root: [call(...sizes), say('done')] });
      expect(await runOnce(world.process({ model, agents: [root] }), root, 's')).toEqual(DONE);
      const tooLarge = 'tool_result_too_large';
      expect(await codes(world)).toEqual([null, tooLarge, tooLarge]);
    });

    it('ATOM-09 commits a step of 60 calls as one', async (world) => {
      const root = agent('root', [serverTool('count', ({ n }) => n)]);
      const calls = Array.from({ length: 60 }, (_, n) => use('count', { n }, `call-${n}`));
      const model = script({ root: [call(...calls), say('done')] });
      expect(await runOnce(world.process({ model, agents: [root] }), root, 's')).toEqual(DONE);
      expect(await world.results('s')).toEqual(calls.map((_, n) => `${n}`));
    });

    it('ends a tool that takes too long, tells it so, and drops what it says later', async (world) => {
      const held = barrier();
      const signals: AbortSignal[] = [];
      const slow = serverTool(
        'slow',
        async (_, ctx) => {
          signals.push(ctx.abortSignal);
          await held.pass();
          return 'too late';
        },
        { timeoutMs: 60_000 },
      );
      const root = agent('root', [
        slow,
        serverTool('quick', () => 'in time', { timeoutMs: 120_000 }),
      ]);
      const model = script({ root: [call('slow', 'quick'), say('done')] });
      const process = world.process({ model, agents: [root] });
      const ended = runOnce(process, root, 's');
      await held.reached;
      await world.clock.skip(60_000);
      expect(await ended).toEqual(DONE);
      held.open();
      expect(signals.map((signal) => signal.aborted)).toEqual([true]);
      expect(await codes(world)).toEqual(['tool_timeout', null]);
      expect(timesAsked(model, 'root')).toBe(2);
    });
  });
}

/** Error codes of the tool messages of session `s`; null for a success. */
async function codes(world: World): Promise<(string | null)[]> {
  const messages = await world.messages('s');
  return messages.flatMap((one) => (one.role === 'tool' ? [one.errorDetail?.code ?? null] : []));
}
