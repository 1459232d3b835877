// If this fails: an agent that asks nobody gives a wrong answer, forgets what its tools did, or never ends.
import { SESSION_LIMITS, type AgentInput, type ExecuteOptions } from '@helix-agents/core';
import { describe, expect } from 'vitest';
import { agent, fields, serverTool, state } from './definitions.ts';
import { call, say, script, timesAsked, use } from './script.ts';
import { runOnce, type Scenario } from './world.ts';

export function plainRuns(it: Scenario): void {
  describe('plain runs', () => {
    it('takes several steps, each tool seeing the state of the step before', async (world) => {
      const add = serverTool('add', ({ by }, ctx) => {
        ctx.updateState<{ sum: number }>((draft) => {
          draft.sum += by as number;
        });
        return ctx.getState<{ sum: number }>().sum;
      });
      const root = agent('root', [add], {
        stateSchema: state({ sum: 1 }),
        systemPrompt: (given: { sum: number }) => `The sum is ${given.sum}.`,
      });
      const model = script({
        root: [call(use('add', { by: 2 })), call(use('add', { by: 10 })), say('done')],
      });
      const process = world.process({ model, agents: [root] });
      expect(await runOnce(process, root, 's')).toEqual({ status: 'completed', output: 'done' });
      expect(await world.results('s')).toEqual(['3', '13']);
      expect((await world.session('s')).customState).toEqual({ sum: 13 });
      const prompts = model.calls.map((asked) => asked.messages[0]?.content);
      expect(prompts).toEqual(['The sum is 1.', 'The sum is 3.', 'The sum is 13.']);
      expect((await world.session('s')).stepCount).toBe(3);
    });

    it('starts from the state it is given, over the defaults', async (world) => {
      const root = agent('root', [], { stateSchema: state({ a: 1, b: 2 }) });
      const process = world.process({ model: script({ root: [say('hi')] }), agents: [root] });
      const input = { message: 'go', state: { b: 3 } };
      await (await process.executor.execute(root, input, { sessionId: 's' })).result();
      expect((await world.session('s')).customState).toEqual({ a: 1, b: 3 });
    });

    it('refuses to make a session with more than a row should hold, and writes nothing', async (world) => {
      const root = agent('root', [], { stateSchema: state({ text: '' }) });
      const { executor } = world.process({ model: script({ root: [] }), agents: [root] });
      const { metadataBytes, metadataEntries, tags, tagLength, stateBytes } = SESSION_LIMITS;
      const many = Array.from({ length: metadataEntries + 1 }, (_, n) => [`${n}`, '']);
      const message = { role: 'user' as const, content: 'go' };
      const refused: [string, AgentInput, ExecuteOptions][] = [
        ['metadata', 'go', { metadata: { text: 'x'.repeat(metadataBytes) } }],
        ['metadata', 'go', { metadata: Object.fromEntries(many) as Record<string, string> }],
        ['tags', 'go', { tags: Array.from({ length: tags + 1 }, () => 'tag') }],
        ['tags.0', 'go', { tags: ['x'.repeat(tagLength + 1)] }],
        ['state', { message: 'go', state: { text: 'x'.repeat(stateBytes) } }, {}],
        [
          'message.0.metadata',
          { message: [{ ...message, metadata: { text: 'x'.repeat(metadataBytes) } }] },
          {},
        ],
        ['message', { message: Array.from({ length: 101 }, () => message) }, {}],
      ];
      for (const [path, input, options] of refused) {
        await expect(
          executor.execute(root, input, { sessionId: 's', ...options }),
        ).rejects.toMatchObject({ code: 'INVALID_REQUEST', details: [{ path }] });
      }
      expect(await world.sessions()).toEqual([]);
    });

    it('gives a call id that the provider repeats a new name, and shows it the first as its own', async (world) => {
      const root = agent('root', [serverTool('look', () => 'seen')]);
      const again = call(use('look', {}, 'call_0'));
      const model = script({ root: [again, again, say('done')] });
      const process = world.process({ model, agents: [root] });
      await runOnce(process, root, 's');
      const ids = (await world.messages('s')).flatMap((one) =>
        one.role === 'tool' ? [one.toolCallId] : [],
      );
      expect(new Set(ids).size).toBe(2);
      const shown = model.calls[2]?.messages.find((one) => one.role === 'tool');
      expect(shown).toMatchObject({ toolCallId: 'call_0' });
    });

    it('ends with the output of a finishWith tool, which sees the state of its siblings', async (world) => {
      const note = serverTool('note', (_, ctx) => {
        ctx.updateState<{ notes: string[] }>((draft) => void draft.notes.push('noted'));
        return 'ok';
      });
      const report = serverTool('report', (_, ctx) => ({ got: ctx.getState() }), {
        finishWith: true,
      });
      const root = agent('root', [note, report], { stateSchema: state({ notes: [] as string[] }) });
      const model = script({ root: [call('report', 'note')] });
      const result = await runOnce(world.process({ model, agents: [root] }), root, 's');
      expect(result).toEqual({ status: 'completed', output: { got: { notes: ['noted'] } } });
      expect(await world.results('s')).toEqual(['{"got":{"notes":["noted"]}}', 'ok']);
      expect(timesAsked(model, 'root')).toBe(1);
    });

    it('takes the first finish that succeeds and gives every call a result', async (world) => {
      const failing = serverTool(
        'failing',
        () => {
          throw new Error('no report');
        },
        { finishWith: true },
      );
      const first = serverTool('first', () => 1, { finishWith: true });
      const second = serverTool('second', () => 2, { finishWith: true });
      const root = agent('root', [failing, first, second]);
      const model = script({ root: [call('failing', 'first', 'second')] });
      const result = await runOnce(world.process({ model, agents: [root] }), root, 's');
      expect(result).toEqual({ status: 'completed', output: 1 });
      expect(await world.results('s')).toEqual(['Error: no report', '1', '2']);
    });

    it('ends with __finish__, after an invalid one was refused', async (world) => {
      const root = agent('root', [], { outputSchema: fields({ answer: 'number' }) });
      const model = script({
        root: [
          call(use('__finish__', { answer: 'many' })),
          call(use('__finish__', { answer: 42 })),
        ],
      });
      const result = await runOnce(world.process({ model, agents: [root] }), root, 's');
      expect(result).toEqual({ status: 'completed', output: { answer: 42 } });
      const [refused, accepted] = await world.results('s');
      expect(refused).toContain('answer must be a number');
      expect(accepted).toBe('{"answer":42}');
    });

    it('takes structured output of the adapter as __finish__', async (world) => {
      const root = agent('root', [], { outputSchema: fields({ answer: 'number' }) });
      const model = script({ root: [{ type: 'structured_output', output: { answer: 7 } }] });
      const result = await runOnce(world.process({ model, agents: [root] }), root, 's');
      expect(result).toEqual({ status: 'completed', output: { answer: 7 } });
    });

    it('reminds an agent with an output schema that text is not an answer', async (world) => {
      const root = agent('root', [], { outputSchema: fields({ answer: 'number' }) });
      const model = script({ root: [say('I think 42'), call(use('__finish__', { answer: 42 }))] });
      const result = await runOnce(world.process({ model, agents: [root] }), root, 's');
      expect(result).toEqual({ status: 'completed', output: { answer: 42 } });
      const [, , reminder] = await world.messages('s');
      expect(reminder).toMatchObject({ role: 'user', metadata: { hidden: true } });
      expect(reminder?.content).toContain('__finish__');
    });

    it('fails when maxSteps are used up, and says so', async (world) => {
      const root = agent('root', [serverTool('spin', () => 'again')], { maxSteps: 3 });
      const model = script({ root: Array.from({ length: 9 }, () => call('spin')) });
      const result = await runOnce(world.process({ model, agents: [root] }), root, 's');
      expect(result).toMatchObject({ status: 'failed', error: { code: 'run_max_steps_exceeded' } });
      expect(timesAsked(model, 'root')).toBe(3);
      expect(await world.results('s')).toEqual(['again', 'again', 'again']);
    });

    it('fails when the model fails for good, with nothing of the attempt in the history', async (world) => {
      const root = agent('root', []);
      const process = world.process({ model: script({ root: [] }), agents: [root] });
      const result = await runOnce(process, root, 's');
      expect(result).toMatchObject({ status: 'failed', error: { code: 'provider_error' } });
      expect(await world.messages('s')).toHaveLength(1);
      expect((await world.chunksOf('s', 'run_failed')).length).toBe(1);
      expect((await world.streams.getStreamInfo('s'))?.status).toBe('failed');
    });
  });
}
