// If this fails: people approve one thing and another runs.
import {
  InvalidResultError,
  type AssistantMessage,
  type JsonObject,
  type Schema,
} from '@helix-agents/core';
import { describe, expect } from 'vitest';
import {
  agent,
  clientTool,
  gatedTool,
  helper,
  reads,
  serverTool,
  subAgent,
} from '../definitions.ts';
import { call, finish, say, script, use } from '../script.ts';
import { answer, decide, resumeOnce, runOnce, waiting, type Scenario } from '../world.ts';

const DONE = { status: 'completed', output: 'done' };
const RAW = { to: ' Ann ', amount: '5' };
const READ = { to: 'ann', amount: 5, currency: 'EUR' };

/** Trims, turns a text into a number, adds a default: input and output types differ. Each parse is told from the others by its number. */
function order(): Schema<JsonObject> {
  return reads((value) => {
    const { to, amount, currency = 'EUR' } = value as { [key: string]: string };
    if (typeof amount !== 'string') throw new Error('amount must be a text');
    parses += 1;
    return { to: (to ?? '').trim().toLowerCase(), amount: Number(amount), currency, parses };
  });
}

let parses = 0;

/** Gives a value that JSON cannot carry. `ms` moves it. */
function day(ms = 0): Schema<{ at: Date; big: bigint }> {
  return reads((value) => {
    const { at } = value as { at: string };
    return { at: new Date(Date.parse(at) + ms), big: 10n };
  });
}

export function shownInput(it: Scenario): void {
  describe('what a person is shown', () => {
    it('APPR-01 is what runs: chunk, row and inbox have the parsed input, rule and tool get it, and it is parsed once', async (world) => {
      const ruled: unknown[] = [];
      const ran: unknown[] = [];
      const define = (): ReturnType<typeof agent> =>
        agent('root', [
          gatedTool('send', (input) => void ran.push(input), {
            inputSchema: order(),
            requireApproval: (input: unknown) => ruled.push(input) > 0,
          }),
        ]);
      const root = define();
      const model = script({ root: [call(use('send', RAW)), say('done')] });
      await runOnce(world.process({ model, agents: [root] }), root, 's');
      const process = world.process({ model, agents: [root] });
      const { items } = await process.executor.listOpenCalls();
      expect(items).toMatchObject([{ input: READ, rawInput: RAW }]);
      const shown = items[0]?.input;
      expect(ruled.at(-1)).toEqual(shown);
      const [asked] = await world.chunksOf('s', 'tool_approval_request');
      expect(asked).toMatchObject({ input: shown, rawInput: RAW });
      await decide(process, 's', 'send', true);
      expect(await resumeOnce(world.process({ model, agents: [define()] }), 's')).toEqual(DONE);
      expect(ran).toEqual([shown]);
      const [started] = await world.chunksOf('s', 'tool_start');
      expect(started).toMatchObject({ arguments: shown });
      const [, message, result] = await world.messages('s');
      expect(message).toMatchObject({ toolCalls: [{ arguments: RAW, parsedArguments: shown }] });
      expect(result).not.toHaveProperty('executedInput');
      const told = model.calls.at(-1)?.messages.find((one) => one.role === 'assistant');
      expect(told).toMatchObject({ toolCalls: [{ arguments: RAW }] });
      expect(JSON.stringify(told)).not.toContain('parsedArguments');
    });

    it('is the parsed input of a client tool, and of a server tool with its hooks', async (world) => {
      const hooked: unknown[] = [];
      const ran: unknown[] = [];
      const root = agent(
        'root',
        [
          clientTool('pick', { inputSchema: order() }),
          serverTool('book', (input) => void ran.push(input), { inputSchema: order() }),
        ],
        { hooks: { beforeTool: ({ input }) => void hooked.push(input) } },
      );
      const model = script({ root: [call(use('pick', RAW), use('book', RAW)), say('done')] });
      await runOnce(world.process({ model, agents: [root] }), root, 's');
      const [row] = await world.calls('s');
      expect(row).toMatchObject({ input: READ, rawInput: RAW });
      const starts = await world.chunksOf('s', 'tool_start');
      const [picked, booked] = ['pick', 'book'].map(
        (name) => starts.find((chunk) => chunk.toolCallId === name)?.arguments,
      );
      expect(picked).toEqual(row?.input);
      expect(booked).toMatchObject(READ);
      const process = world.process({ model, agents: [root] });
      await answer(process, 's', 'pick', 'red');
      expect(await resumeOnce(process, 's')).toEqual(DONE);
      // A host may repeat an operation: each time with the same input.
      expect(ran.length).toBeGreaterThan(0);
      for (const input of [...hooked, ...ran]) expect(input).toEqual(booked);
    });

    it('is shown without a raw input where defaults were added and no type changed', async (world) => {
      const inputSchema = reads((value) => ({ unit: 'kg', ...(value as object) }));
      const ran: unknown[] = [];
      const root = agent('root', [
        gatedTool('weigh', (input) => void ran.push(input), { inputSchema }),
      ]);
      const model = script({ root: [call(use('weigh', { what: 'tea' })), say('done')] });
      const running = { model, agents: [root] };
      await runOnce(world.process(running), root, 's');
      const [asked] = await world.chunksOf('s', 'tool_approval_request');
      expect(asked?.input).toEqual({ unit: 'kg', what: 'tea' });
      expect(asked).not.toHaveProperty('rawInput');
      const process = world.process(running);
      const approval = { kind: 'approval-response', sessionId: 's', toolCallId: 'weigh' } as const;
      const input = { unit: 'kg', what: 'tea' };
      await process.executor.submitToolResult({ ...approval, approved: true, input });
      expect(await resumeOnce(process, 's')).toEqual(DONE);
      expect(ran).toEqual([input]);
      expect((await world.messages('s'))[2]).not.toHaveProperty('executedInput');
    });

    it('APPR-01 checks an edit by the input schema once, and runs what that made of it', async (world) => {
      const ran: unknown[] = [];
      const define = (): ReturnType<typeof agent> =>
        agent('root', [
          gatedTool('send', (input) => void ran.push(input), { inputSchema: order() }),
        ]);
      const root = define();
      const model = script({ root: [call(use('send', RAW)), say('done')] });
      await runOnce(world.process({ model, agents: [root] }), root, 's');
      const approval = { kind: 'approval-response', sessionId: 's', toolCallId: 'send' } as const;
      const { executor } = world.process({ model, agents: [define()] });
      const misfit = executor.submitToolResult({
        ...approval,
        approved: true,
        input: { to: 'b', amount: ['5'] },
      });
      await expect(misfit).rejects.toThrow(InvalidResultError);
      const edit = { to: ' Bob ', amount: '7', currency: 'USD' };
      const editor = world.process({ model, agents: [define()] });
      await editor.executor.submitToolResult({ ...approval, approved: true, input: edit });
      expect(await resumeOnce(world.process({ model, agents: [define()] }), 's')).toEqual(DONE);
      const [row] = await world.calls('s');
      expect(row).toMatchObject({ input: READ, answer: { input: edit, parsed: { kind: 'json' } } });
      const [executed] = ran;
      expect(executed).toMatchObject({ to: 'bob', amount: 7, currency: 'USD' });
      expect(row?.answer).toMatchObject({ parsed: { value: executed } });
      expect((await world.messages('s'))[2]).toMatchObject({ executedInput: executed });
    });

    it('APPR-01 can be edited as it was shown: what was left alone is read once, also where its type was changed', async (world) => {
      const ran: unknown[] = [];
      const inputSchema = reads((value) => {
        const { price, pieces, tags } = value as { price: string; pieces: string; tags: string[] };
        if (typeof pieces !== 'string') throw new Error('pieces must be a text');
        const total = `${price} x ${pieces}`;
        return {
          price: `${price} EUR`,
          pieces: Number(pieces),
          total,
          tags: tags.map((tag) => `#${tag}`),
        };
      });
      const root = agent('root', [
        gatedTool('buy', (input) => void ran.push(input), { inputSchema }),
      ]);
      const raw = { price: '5', pieces: '2', tags: ['a', 'b'] };
      const model = script({ root: [call(use('buy', raw)), say('done')] });
      const running = { model, agents: [root] };
      await runOnce(world.process(running), root, 's');
      const { executor } = world.process(running);
      const [row] = (await executor.listOpenCalls()).items;
      const shown = row?.input as JsonObject;
      expect(shown).toEqual({ price: '5 EUR', pieces: 2, total: '5 x 2', tags: ['#a', '#b'] });
      const approve = (input: JsonObject): Promise<unknown> =>
        executor.submitToolResult({
          kind: 'approval-response',
          sessionId: 's',
          toolCallId: 'buy',
          approved: true,
          input,
        });
      await expect(approve({ ...shown, total: 'nothing' })).rejects.toThrow(
        "total: cannot be edited: the tool's schema makes it of the other fields",
      );
      await approve({ ...shown, pieces: 3, tags: ['#b'] });
      expect(await resumeOnce(world.process(running), 's')).toEqual(DONE);
      expect(ran).toEqual([{ price: '5 EUR', pieces: 3, total: '5 x 3', tags: ['#b'] }]);
    });

    it('is the JSON form of what JSON cannot carry, and the tool gets the value itself', async (world) => {
      const ran: unknown[] = [];
      const inputSchema = day();
      const root = agent('root', [
        gatedTool('plan', (input) => void ran.push(input), { inputSchema }),
      ]);
      const at = '2030-01-02T00:00:00.000Z';
      const model = script({ root: [call(use('plan', { at: '2030-01-02' })), say('done')] });
      const running = { model, agents: [root] };
      await runOnce(world.process(running), root, 's');
      const [asked] = await world.chunksOf('s', 'tool_approval_request');
      expect(asked?.input).toEqual({ at, big: '10' });
      const process = world.process(running);
      await decide(process, 's', 'plan', true);
      expect(await resumeOnce(process, 's')).toEqual(DONE);
      expect(ran).toEqual([{ at: new Date(at), big: 10n }]);
    });

    it('APPR-01 is refused as invalid where the value comes to another JSON form when it is to run', async (world) => {
      const ran: unknown[] = [];
      const define = (ms: number): ReturnType<typeof agent> =>
        agent('root', [
          gatedTool('plan', (input) => void ran.push(input), { inputSchema: day(ms) }),
        ]);
      const root = define(0);
      const model = script({ root: [call(use('plan', { at: '2030-01-02' })), say('done')] });
      await runOnce(world.process({ model, agents: [root] }), root, 's');
      const process = world.process({ model, agents: [define(1)] });
      await decide(process, 's', 'plan', true);
      expect(await resumeOnce(process, 's')).toEqual(DONE);
      expect(ran).toEqual([]);
      const [, , result] = await world.messages('s');
      expect(result).toMatchObject({ errorDetail: { code: 'tool_input_invalid' } });
    });

    it('is nothing that has no JSON form: such a call of a person is refused, a server tool runs', async (world) => {
      const cyclic = reads(() => {
        const value: { self?: unknown } = {};
        value.self = value;
        return value;
      });
      const root = agent('root', [
        gatedTool('ask', () => 'never', { inputSchema: cyclic }),
        serverTool('run', (input) => input['self'] === input, { inputSchema: cyclic }),
      ]);
      const model = script({ root: [call('ask', 'run'), say('done')] });
      expect(await runOnce(world.process({ model, agents: [root] }), root, 's')).toEqual(DONE);
      const [, , asked, run] = await world.messages('s');
      expect(asked).toMatchObject({ errorDetail: { code: 'tool_input_invalid' } });
      expect(run).toMatchObject({ success: true, content: 'true' });
    });

    it('is the first message of a sub-agent, as the schema of its tool made it', async (world) => {
      const child = helper('child', [clientTool('pick')]);
      const inputSchema = order();
      const root = agent('root', [{ ...subAgent(child), inputSchema }]);
      const model = script({
        root: [call(use('subagent__child', RAW)), say('done')],
        child: [call('pick'), finish('ok')],
      });
      const running = { model, agents: [root] };
      const [pick] = waiting(await runOnce(world.process(running), root, 's'));
      const [, asked] = await world.messages('s');
      const { toolCalls: [made] = [] } = asked as AssistantMessage;
      expect(made?.parsedArguments).toMatchObject(READ);
      const [first] = await world.messages('s-sub-1-0');
      expect(first).toMatchObject({ role: 'user', content: JSON.stringify(made?.parsedArguments) });
      const process = world.process(running);
      await answer(process, 's', pick as string, 'red');
      expect(await resumeOnce(process, 's')).toEqual(DONE);
    });
  });
}
