// If this fails: a valid answer is refused or an invalid one closes its call, so that the person who could repair it is
// told that it is too late.
import { InvalidRequestError, InvalidResultError, type SubmitToolResult } from '@helix-agents/core';
import { describe, expect } from 'vitest';
import { agent, clientTool, fields, gatedTool, helper, subAgent } from '../definitions.ts';
import type { Process } from '../process.ts';
import { call, finish, say, script, use } from '../script.ts';
import { answer, decide, resumeOnce, runOnce, waiting, type Scenario } from '../world.ts';

const DONE = { status: 'completed', output: 'done' };
const ACCEPTED = { status: 'accepted' };
const MEBIBYTE = 1_048_576;

/** As it comes over the wire: nothing is known of its shape. */
function submit(process: Process, toolCallId: string, body: object): Promise<unknown> {
  const submission = { sessionId: 's', toolCallId, ...body };
  return process.executor.submitToolResult(submission as unknown as SubmitToolResult);
}

export function submissions(it: Scenario): void {
  describe('submissions', () => {
    it('SUB-05 takes false, 0, "", null and [] as results', async (world) => {
      const values = [false, 0, '', null, []];
      const root = agent('root', [clientTool('pick')]);
      const calls = values.map((_, n) => use('pick', {}, `pick-${n}`));
      const model = script({ root: [call(...calls), say('done')] });
      await runOnce(world.process({ model, agents: [root] }), root, 's');
      for (const [n, value] of values.entries()) {
        const process = world.process({ model, agents: [root] });
        expect(await answer(process, 's', `pick-${n}`, value)).toEqual(ACCEPTED);
      }
      expect(await resumeOnce(world.process({ model, agents: [root] }), 's')).toEqual(DONE);
      expect(await world.results('s')).toEqual(['false', '0', '', 'null', '[]']);
      const results = (await world.messages('s')).filter((one) => one.role === 'tool');
      expect(results.every((one) => one.success)).toBe(true);
    });

    it('SUB-05 refuses result and error together, and neither, and stays open', async (world) => {
      const root = agent('root', [clientTool('pick'), gatedTool('send', () => 'sent')]);
      const model = script({ root: [call('pick', 'send'), say('done')] });
      const process = world.process({ model, agents: [root] });
      await runOnce(process, root, 's');
      const approval = { kind: 'approval-response' };
      for (const body of [
        {},
        { result: undefined },
        { kind: 'client-tool-result' },
        { result: 'red', error: 'no' },
        { error: '' },
        { error: 7 },
        { kind: 'something', result: 'red' },
        { approved: true },
      ])
        await expect(submit(process, 'pick', body)).rejects.toThrow(InvalidRequestError);
      for (const body of [
        approval,
        { ...approval, approved: 'yes' },
        { ...approval, approved: true, result: 'sent' },
        { ...approval, approved: true, error: 'no' },
      ])
        await expect(submit(process, 'send', body)).rejects.toThrow(InvalidRequestError);
      expect((await world.calls('s')).map((row) => row.state)).toEqual(['open', 'open']);
      expect(await submit(process, 'pick', { result: 'red' }), 'kind may be left out').toEqual(
        ACCEPTED,
      );
      expect(await decide(process, 's', 'send', false)).toEqual(ACCEPTED);
      expect(await resumeOnce(world.process({ model, agents: [root] }), 's')).toEqual(DONE);
    });

    it('SUB-05 leaves the call of a child open for a result that fits, and checks no error', async (world) => {
      const child = helper('child', [
        clientTool('pick', { outputSchema: fields({ color: 'string' }) }),
      ]);
      const root = agent('root', [subAgent(child)]);
      const model = script({
        root: [call('subagent__child'), say('done')],
        child: [call(use('pick', {}, 'a'), use('pick', {}, 'b')), finish('here')],
      });
      const running = { model, agents: [root] };
      const [a, b] = waiting(await runOnce(world.process(running), root, 's')) as [string, string];
      const process = world.process(running);
      for (const value of [{ color: 7 }, {}, null, 'red'])
        await expect(answer(process, 's', a, value)).rejects.toThrow(InvalidResultError);
      const refused = await answer(process, 's', a, { color: 7 }).catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: 'INVALID_RESULT' });
      const told = process.events.find((one) => one.name === 'client_tool.validation_failed');
      expect(told).toMatchObject({ level: 'warn', data: { sessionId: 's', toolCallId: a } });
      expect((await world.calls('s')).map((row) => row.state)).toEqual(['open', 'open']);
      expect(await answer(process, 's', a, { color: 'red' })).toEqual(ACCEPTED);
      expect(await submit(process, b, { error: 'no colors here' })).toEqual(ACCEPTED);
      expect(await resumeOnce(world.process(running), 's')).toEqual(DONE);
      expect((await world.results('s-sub-1-0')).slice(0, 2)).toEqual([
        '{"color":"red"}',
        'Error: no colors here',
      ]);
    });

    it('keeps to its limits: ids of 256, errors of 8 kB, results of 1 MB', async (world) => {
      const longest = 'x'.repeat(256);
      const root = agent('root', [clientTool('pick')]);
      const calls = ['a', 'b', longest].map((id) => use('pick', {}, id));
      const model = script({ root: [call(...calls), say('done')] });
      await runOnce(world.process({ model, agents: [root] }), root, 's');
      const process = world.process({ model, agents: [root] });
      const quotes = 2;
      for (const refused of [
        submit(process, 'a', { result: 'x'.repeat(MEBIBYTE - quotes + 1) }),
        submit(process, 'b', { error: 'x'.repeat(8_193) }),
        submit(process, 'b', { error: 'é'.repeat(4_097) }),
        submit(process, `${longest}x`, { result: 1 }),
        submit(process, 'a', { sessionId: `${longest}x`, result: 1 }),
        submit(process, 'a\u0000', { result: 1 }),
      ])
        await expect(refused).rejects.toThrow(InvalidRequestError);
      expect((await world.calls('s')).every((row) => row.state === 'open')).toBe(true);
      const large = 'x'.repeat(MEBIBYTE - quotes);
      expect(await submit(process, 'a', { result: large })).toEqual(ACCEPTED);
      expect(await submit(process, 'b', { error: 'y'.repeat(8_192) })).toEqual(ACCEPTED);
      expect(await submit(process, longest, { result: 1 })).toEqual(ACCEPTED);
      expect(await resumeOnce(world.process({ model, agents: [root] }), 's')).toEqual(DONE);
      expect((await world.results('s'))[0]).toBe(large);
    });

    it('force-fails any call with an error, without running it', async (world) => {
      const ran: string[] = [];
      const deep = helper('deep', [gatedTool('send', () => ran.push('send')), clientTool('pick')]);
      const child = helper('child', [subAgent(deep)]);
      const root = agent('root', [subAgent(child)]);
      const model = script({
        root: [call('subagent__child'), say('done')],
        child: [call('subagent__deep'), finish('child')],
        deep: [call('send', 'pick'), finish('deep')],
      });
      const running = { model, agents: [root] };
      const [send, pick] = waiting(await runOnce(world.process(running), root, 's')) as [
        string,
        string,
      ];
      const operator = world.process(running);
      expect(await submit(operator, send, { kind: 'approval-response', error: 'stuck' })).toEqual(
        ACCEPTED,
      );
      expect(await submit(operator, pick, { error: 'disposed' })).toEqual(ACCEPTED);
      expect(await decide(operator, 's', send, true)).toEqual({ status: 'already_completed' });
      expect(await world.session('s'), 'a submission runs nothing').toMatchObject({ turn: 1 });
      expect(await resumeOnce(world.process(running), 's')).toEqual(DONE);
      expect(ran).toEqual([]);
      const [, , first, second] = await world.messages('s-sub-1-0-sub-1-0');
      expect(first).toMatchObject({ errorDetail: { code: 'client_tool_error', message: 'stuck' } });
      expect(second).toMatchObject({ errorDetail: { code: 'disposed' } });
    });

    it('cancels an open call for an operator, once, and its owner goes on', async (world) => {
      const ran: string[] = [];
      const root = agent('root', [clientTool('pick'), gatedTool('send', () => ran.push('send'))]);
      const model = script({ root: [call('pick', 'send'), say('done')] });
      const running = { model, agents: [root] };
      await runOnce(world.process(running), root, 's');
      const { executor, events } = world.process(running);
      const cancel = (toolCallId: string): Promise<unknown> =>
        executor.cancelOpenCall({ sessionId: 's', toolCallId }, { answeredBy: 'operator' });
      expect(await cancel('send')).toEqual(ACCEPTED);
      const cancelled = { status: 'unknown_tool_call', reason: 'cancelled' };
      expect(await cancel('send')).toEqual(cancelled);
      expect(await cancel('nothing')).toMatchObject({ reason: 'call_not_found' });
      expect(await decide(world.process(running), 's', 'send', true)).toEqual(cancelled);
      expect(events.find((one) => one.name === 'client_tool.aborted')).toMatchObject({
        level: 'warn',
        data: { sessionId: 's', toolCallId: 'send', toolName: 'send' },
      });
      const row = (await world.calls('s')).find((one) => one.toolCallId === 'send');
      expect(row).toMatchObject({ outcome: 'cancelled', answeredBy: 'operator' });
      await answer(world.process(running), 's', 'pick', 'red');
      expect(await cancel('pick'), 'an answer stands').toEqual({ status: 'already_completed' });
      expect(await resumeOnce(world.process(running), 's')).toEqual(DONE);
      expect(ran).toEqual([]);
      expect((await world.messages('s'))[3]).toMatchObject({ errorDetail: { code: 'aborted' } });
    });
  });
}
