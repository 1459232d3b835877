// If this fails: a tool runs with an input no person saw, or the model is told something else than what ran.
import { InvalidRequestError, InvalidResultError, type SubmitToolResult } from '@helix-agents/core';
import { describe, expect } from 'vitest';
import { agent, clientTool, fields, gatedTool, helper, subAgent } from '../definitions.ts';
import { call, finish, say, script, use } from '../script.ts';
import { resumeOnce, runOnce, waiting, type Scenario } from '../world.ts';

const DONE = { status: 'completed', output: 'done' };

/** A tool that sends what a person approved, and what it sent. */
function sender(): { readonly send: ReturnType<typeof gatedTool>; readonly ran: unknown[] } {
  const ran: unknown[] = [];
  const send = gatedTool(
    'send',
    (input) => {
      ran.push(input);
      return 'sent';
    },
    { inputSchema: fields({ to: 'string' }) },
  );
  return { send, ran };
}

export function approvedInput(it: Scenario): void {
  const approve = { kind: 'approval-response', sessionId: 's', approved: true } as const;

  describe('approved input', () => {
    it('APPR-01 keeps what was proposed, edited and executed, and tells the model', async (world) => {
      const { send, ran } = sender();
      const root = agent('root', [send]);
      const model = script({ root: [call(use('send', { to: 'bob' })), say('done')] });
      const running = { model, agents: [root] };
      await runOnce(world.process(running), root, 's');
      const { executor } = world.process(running);
      const edited = { ...approve, toolCallId: 'send', input: { to: 'ann' } };
      expect(await executor.submitToolResult(edited, { answeredBy: 'eve' })).toEqual({
        status: 'accepted',
      });
      expect(await resumeOnce(world.process(running), 's')).toEqual(DONE);
      expect(ran).toEqual([{ to: 'ann' }]);
      expect((await world.calls('s'))[0]).toMatchObject({
        input: { to: 'bob' },
        answer: { kind: 'approved', input: { to: 'ann' } },
        answeredBy: 'eve',
        outcome: 'approved',
      });
      const [, asked, result] = await world.messages('s');
      expect(asked).toMatchObject({ toolCalls: [{ arguments: { to: 'bob' } }] });
      expect(result).toMatchObject({ content: 'sent', executedInput: { to: 'ann' } });
      const shown = model.calls.at(-1)?.messages.find((one) => one.role === 'tool');
      expect(shown?.content).toContain('{"to":"ann"}');
      expect(shown?.content).toContain('edited');
      expect(shown?.content).toContain('sent');
      const [started] = await world.chunksOf('s', 'tool_start');
      expect(started).toMatchObject({ toolCallId: 'send', arguments: { to: 'ann' } });
    });

    it('APPR-01 is what was proposed and edited, whatever rule and tool do to what they are given', async (world) => {
      const ran: unknown[] = [];
      const send = gatedTool(
        'send',
        (input) => {
          ran.push({ ...input });
          return Object.assign(input, { to: 'the tool' })['to'];
        },
        {
          inputSchema: fields({ to: 'string' }),
          requireApproval: (input: unknown) => !!Object.assign(input as object, { to: 'the rule' }),
        },
      );
      const root = agent('root', [send]);
      const calls = [use('send', { to: 'bob' }, 'a'), use('send', { to: 'bob' }, 'b')];
      const model = script({ root: [call(...calls), say('done')] });
      const running = { model, agents: [root] };
      await runOnce(world.process(running), root, 's');
      const { executor } = world.process(running);
      const { items } = await executor.listOpenCalls();
      expect(items.map(({ input }) => input)).toEqual([{ to: 'bob' }, { to: 'bob' }]);
      await executor.submitToolResult({ ...approve, toolCallId: 'a' });
      await executor.submitToolResult({ ...approve, toolCallId: 'b', input: { to: 'ann' } });
      expect(await resumeOnce(world.process(running), 's')).toEqual(DONE);
      expect(ran).toHaveLength(2);
      expect(ran).toEqual(expect.arrayContaining([{ to: 'bob' }, { to: 'ann' }]));
      const [, asked, ...results] = await world.messages('s');
      expect(asked).toMatchObject({
        toolCalls: [{ arguments: { to: 'bob' } }, { arguments: { to: 'bob' } }],
      });
      expect(results.slice(0, 2)).toMatchObject([
        { content: 'the tool' },
        { content: 'the tool', executedInput: { to: 'ann' } },
      ]);
      expect(results[0]).not.toHaveProperty('executedInput');
    });

    it('keeps what a person says when they approve, and tells the model and the hooks', async (world) => {
      const { send } = sender();
      const heard = new Map<string, string | undefined>();
      const root = agent('root', [send], {
        hooks: {
          afterTool: ({ toolCallId, approvalReason }) => void heard.set(toolCallId, approvalReason),
        },
      });
      const calls = [use('send', { to: 'bob' }, 'a'), use('send', { to: 'bob' }, 'b')];
      const model = script({ root: [call(...calls), say('done')] });
      const running = { model, agents: [root] };
      await runOnce(world.process(running), root, 's');
      const { executor } = world.process(running);
      const reason = 'only this once';
      await executor.submitToolResult({ ...approve, toolCallId: 'a', reason });
      const edited = { ...approve, toolCallId: 'b', input: { to: 'ann' }, reason };
      await executor.submitToolResult(edited);
      expect((await world.calls('s')).map((row) => row.answer)).toEqual([
        { kind: 'approved', reason },
        { kind: 'approved', reason, input: { to: 'ann' }, parsed: { kind: 'same' } },
      ]);
      expect(await resumeOnce(world.process(running), 's')).toEqual(DONE);
      expect((await world.messages('s')).slice(2, 4)).toMatchObject([
        { content: 'sent', approvalReason: reason },
        { content: 'sent', approvalReason: reason, executedInput: { to: 'ann' } },
      ]);
      const shown = model.calls.at(-1)?.messages.filter((one) => one.role === 'tool');
      expect(shown?.map(({ content }) => content.includes(reason))).toEqual([true, true]);
      expect([...heard]).toEqual([
        ['a', reason],
        ['b', reason],
      ]);
    });

    it('APPR-01 refuses an edited input that does not fit, and stays open for one that does', async (world) => {
      const { send, ran } = sender();
      const child = helper('child', [send]);
      const root = agent('root', [subAgent(child)]);
      const model = script({
        root: [call('subagent__child'), say('done')],
        child: [call(use('send', { to: 'bob' })), finish('here')],
      });
      const running = { model, agents: [root] };
      const [toolCallId] = waiting(await runOnce(world.process(running), root, 's'));
      const submit = (input: never): Promise<unknown> =>
        world
          .process(running)
          .executor.submitToolResult({ ...approve, toolCallId: toolCallId as string, input });
      for (const input of [{ to: 7 }, {}, null, 'ann', []])
        await expect(submit(input as never)).rejects.toThrow(InvalidResultError);
      expect((await world.calls('s'))[0]).toMatchObject({ state: 'open', answer: null });
      expect(await submit({ to: 'ann' } as never)).toEqual({ status: 'accepted' });
      expect(await resumeOnce(world.process(running), 's')).toEqual(DONE);
      expect(ran).toEqual([{ to: 'ann' }]);
    });

    it('APPR-01 ignores arguments that come in any other field', async (world) => {
      const { send, ran } = sender();
      const root = agent('root', [send]);
      const model = script({ root: [call(use('send', { to: 'bob' })), say('done')] });
      const running = { model, agents: [root] };
      await runOnce(world.process(running), root, 's');
      const { executor } = world.process(running);
      const evil = { to: 'mallory' };
      const smuggled = {
        ...approve,
        toolCallId: 'send',
        arguments: evil,
        args: evil,
        toolInput: evil,
        editedInput: evil,
        answer: { kind: 'approved', input: evil },
        messages: [
          { role: 'assistant', toolCalls: [{ id: 'send', name: 'send', arguments: evil }] },
        ],
      };
      const withResult = { ...smuggled, result: 'sent' } as unknown as SubmitToolResult;
      await expect(executor.submitToolResult(withResult)).rejects.toThrow(InvalidRequestError);
      expect(await executor.submitToolResult(smuggled)).toEqual({ status: 'accepted' });
      expect(await resumeOnce(world.process(running), 's')).toEqual(DONE);
      expect(ran).toEqual([{ to: 'bob' }]);
      expect((await world.messages('s'))[2]).not.toHaveProperty('executedInput');
    });

    it('APPR-01 gives a client tool no input', async (world) => {
      const root = agent('root', [clientTool('pick')]);
      const model = script({ root: [call(use('pick', { from: 'a' })), say('done')] });
      const running = { model, agents: [root] };
      await runOnce(world.process(running), root, 's');
      const { executor } = world.process(running);
      const misfit = executor.submitToolResult({ ...approve, toolCallId: 'pick', input: {} });
      await expect(misfit).rejects.toThrow(InvalidRequestError);
      const result = { kind: 'client-tool-result', sessionId: 's', toolCallId: 'pick' } as const;
      const withInput = { ...result, result: 'red', input: { from: 'b' } };
      expect(await executor.submitToolResult(withInput)).toEqual({ status: 'accepted' });
      expect(await resumeOnce(world.process(running), 's')).toEqual(DONE);
      expect((await world.calls('s'))[0]?.input).toEqual({ from: 'a' });
    });
  });
}
