// If this fails: one value that JSON cannot carry, or one that is endless as JSON, blocks the process, ends the run, or is
// stored as something else than it was.
import { InvalidRequestError, type JsonValue } from '@helix-agents/core';
import { describe, expect } from 'vitest';
import { agent, clientTool, serverTool, state } from './definitions.ts';
import { call, say, script, use } from './script.ts';
import { resumeOnce, runOnce, type Scenario, type World } from './world.ts';

const DONE = { status: 'completed', output: 'done' };

/** A few objects, and more text as JSON than any machine can hold. */
function endless(): JsonValue {
  let graph: JsonValue = { leaf: true };
  for (let level = 0; level < 60; level += 1) graph = [graph, graph];
  return graph;
}

function cyclic(): JsonValue {
  const circle: { self?: JsonValue } = {};
  circle.self = circle as JsonValue;
  return circle as JsonValue;
}

const odd = (value: unknown): JsonValue => value as JsonValue;

export function oddValues(it: Scenario): void {
  describe('values that JSON cannot carry', () => {
    it('are refused as the result of a tool, by their path', async (world) => {
      const returned: { readonly [name: string]: unknown } = {
        map: { found: [new Map([['a', 1]])] },
        set: new Set([1]),
        nan: { price: Number.NaN },
        instance: { order: new (class Order {})() },
        inner: { run: () => 1 },
        endless: endless(),
        list: Array(5_000_000).fill('0123456789'),
        dated: { at: new Date(0), left: undefined },
      };
      const names = Object.keys(returned);
      const tools = names.map((name) => serverTool(name, () => returned[name]));
      const root = agent('root', tools);
      const model = script({ root: [call(...names), say('done')] });
      expect(await runOnce(world.process({ model, agents: [root] }), root, 's')).toEqual(DONE);
      expect(await codes(world)).toEqual([
        ...Array(5).fill('tool_result_unserializable'),
        'tool_result_too_large',
        'tool_result_too_large',
        null,
      ]);
      const results = await world.results('s');
      expect(results.slice(0, 5)).toEqual([
        expect.stringContaining('map ran, but returned something that is not plain data: found.0:'),
        expect.stringContaining('a Set has no JSON form'),
        expect.stringContaining('price: NaN has no JSON form'),
        expect.stringContaining('order: an Order has no JSON form'),
        expect.stringContaining('inner ran, but returned something that is not plain data: run:'),
      ]);
      expect(results.at(-1)).toBe('{"at":"1970-01-01T00:00:00.000Z"}');
    });

    it('are refused as events, and harm nobody who does not await them', async (world) => {
      const report = serverTool('report', async (_, ctx) => {
        void ctx.emit('lost', odd(1n));
        const refused: unknown[] = [];
        for (const data of [odd({ a: new Map() }), cyclic(), endless(), 'x'.repeat(2_000_000)])
          await ctx.emit('lost', data).catch((error: { code: string }) => refused.push(error.code));
        await ctx.emit('kept', { at: odd(new Date(0)) });
        return refused;
      });
      const root = agent('root', [report], {
        hooks: {
          beforeTool: async (_, ctx) => {
            await ctx.emitCustom('lost', odd({ a: new Map() })).catch(() => undefined);
            await ctx.emitCustom('hooked', 1);
          },
        },
      });
      const model = script({ root: [call('report'), say('done')] });
      expect(await runOnce(world.process({ model, agents: [root] }), root, 's')).toEqual(DONE);
      expect(await world.results('s')).toEqual([
        '["event_unserializable","event_unserializable","event_too_large","event_too_large"]',
      ]);
      const told = (await world.chunksOf('s', 'custom')).map(({ name, data }) => [name, data]);
      expect(told).toEqual([
        ['hooked', 1],
        ['kept', { at: '1970-01-01T00:00:00.000Z' }],
      ]);
    });

    it('are dropped as usage, with a warning, and the run goes on', async (world) => {
      const measure = serverTool('measure', (_, ctx) => {
        ctx.recordUsage({ name: 'big', value: odd(1n) as number });
        ctx.recordUsage({ name: 'round', value: 1, of: cyclic() });
        ctx.recordUsage({ name: 'endless', value: 1, of: endless() });
        ctx.recordUsage({ name: 'nothing', value: Number.NaN });
        ctx.recordUsage({ name: odd(7) as string, value: 1 });
        ctx.recordUsage({ name: 'kept', value: 3 });
        return 'measured';
      });
      const root = agent('root', [measure]);
      const model = script({ root: [call('measure'), say('done')] });
      const process = world.process({ model, agents: [root] });
      expect(await runOnce(process, root, 's')).toEqual(DONE);
      expect(await world.results('s')).toEqual(['measured']);
      const entries = await world.usage.getEntries('s', { kinds: ['custom'] });
      expect(entries.map(({ source, data }) => [source.type, data])).toEqual([
        ['kept', { value: 3 }],
      ]);
      const dropped = process.events.filter(({ name }) => name === 'usage.dropped');
      expect(dropped.map(({ data }) => data)).toEqual(
        ['value: a bigint', 'of.self: it', 'it has', 'value: NaN', 'name: must'].map((error) => ({
          sessionId: 's',
          toolCallId: 'measure',
          toolName: 'measure',
          error: expect.stringContaining(error),
        })),
      );
      expect((await world.session('s')).recoveries).toBe(0);
    });

    it('are refused as state, and change nothing of it', async (world) => {
      const values = { map: new Map(), endless: endless(), cyclic: cyclic(), kept: { n: 1 } };
      const put = serverTool('put', ({ which }, ctx) => {
        ctx.updateState<{ at: unknown }>((draft) => {
          draft.at = values[which as keyof typeof values];
        });
      });
      const root = agent('root', [put], { stateSchema: state({ at: null }) });
      const calls = Object.keys(values).map((which) => use('put', { which }, which));
      const model = script({ root: [...calls.map((one) => call(one)), say('done')] });
      expect(await runOnce(world.process({ model, agents: [root] }), root, 's')).toEqual(DONE);
      const failed = 'tool_execution_failed';
      expect(await codes(world)).toEqual([failed, failed, failed, null]);
      expect((await world.results('s'))[0]).toContain('stored at state.at is no plain data');
      expect((await world.session('s')).customState).toEqual({ at: { n: 1 } });
    });

    it('are refused from a caller, before anything is stored', async (world) => {
      const root = agent('root', [clientTool('pick')]);
      const model = script({ root: [call('pick'), say('done')] });
      const { executor } = world.process({ model, agents: [root] });
      const refusalOf = async (started: Promise<unknown>): Promise<unknown> => {
        const error: unknown = await started.catch((thrown: unknown) => thrown);
        return InvalidRequestError.isInstance(error)
          ? error.details.map(({ path }) => path)
          : error;
      };
      const metadata = { n: { deep: odd(1n) } } as never;
      expect(await refusalOf(executor.execute(root, 'go', { sessionId: 's', metadata }))).toEqual([
        'metadata.n.deep',
      ]);
      const tags = odd(endless()) as never;
      expect(await refusalOf(executor.execute(root, 'go', { sessionId: 's', tags }))).toEqual([
        'tags.0',
      ]);
      const message = [{ role: 'user', content: 'go', metadata: { at: odd(new Map()) } }] as const;
      expect(await refusalOf(executor.execute(root, { message }, { sessionId: 's' }))).toEqual([
        'message.0.metadata.at',
      ]);
      const given = { message: 'go', state: { at: odd(new Map()) } };
      expect(await refusalOf(executor.execute(root, given, { sessionId: 's' }))).toEqual([
        'state.at',
      ]);
      expect(await world.sessions()).toEqual([]);
      await (await executor.execute(root, 'go', { sessionId: 's' })).result();
      const address = { kind: 'client-tool-result', sessionId: 's', toolCallId: 'pick' } as const;
      for (const result of [endless(), { at: new Map() }])
        expect(await refusalOf(executor.submitToolResult({ ...address, result }))).toEqual([
          'result',
        ]);
      await executor.submitToolResult({ ...address, result: { at: new Date(0) } });
      expect(await resumeOnce(world.process({ model, agents: [root] }), 's')).toEqual(DONE);
      expect(await world.results('s')).toEqual(['{"at":"1970-01-01T00:00:00.000Z"}']);
    });

    it("fail the run as the model's answer, once", async (world) => {
      const root = agent('root', [serverTool('look', () => 'seen')]);
      const model = script({ root: [call(use('look', { at: odd(new Map()) }))] });
      const process = world.process({ model, agents: [root] });
      expect(await runOnce(process, root, 's')).toMatchObject({
        status: 'failed',
        error: { code: 'provider_response_invalid' },
      });
      expect(model.calls).toHaveLength(1);
    });
  });
}

/** Error codes of the tool messages of session `s`; null for a success. */
async function codes(world: World): Promise<(string | null)[]> {
  const messages = await world.messages('s');
  return messages.flatMap((one) => (one.role === 'tool' ? [one.errorDetail?.code ?? null] : []));
}
