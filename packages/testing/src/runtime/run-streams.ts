// If this fails: a client sees text that was taken back, misses a question, or receives the end twice or never.
import { HelixError, type StreamChunk } from '@helix-agents/core';
import { describe, expect } from 'vitest';
import { agent, clientTool, helper, serverTool, subAgent } from './definitions.ts';
import { call, finish, say, script, use, type Answer } from './script.ts';
import { barrier, until } from './waiting.ts';
import { answer, resumeOnce, runOnce, type Scenario } from './world.ts';

const DONE = { status: 'completed', output: 'done' };

export function runStreams(it: Scenario): void {
  describe('the stream of a session', () => {
    it('tells a run from start to end, once', async (world) => {
      const root = agent('root', [serverTool('look', (_, ctx) => ctx.emit('progress', 50))]);
      const model = script({ root: [call('look'), say('done')] });
      await runOnce(world.process({ model, agents: [root] }), root, 's');
      const types = (await world.chunks('s')).map(({ chunk }) => chunk.type);
      expect(types).toEqual([
        'run_started',
        'tool_arg_stream_start',
        'tool_arg_stream_delta',
        'tool_start',
        'custom',
        'tool_end',
        'step_committed',
        'text_delta',
        'step_committed',
        'output',
        'run_completed',
      ]);
      expect(await world.streams.getStreamInfo('s')).toMatchObject({ status: 'ended' });
    });

    it('marks each run of a session that waits, once', async (world) => {
      const root = agent('root', [clientTool('pick')]);
      const model = script({ root: [call('pick'), say('done'), say('more')] });
      const process = world.process({ model, agents: [root] });
      await runOnce(process, root, 's');
      expect(await world.streams.getStreamInfo('s')).toMatchObject({ status: 'paused' });
      await answer(process, 's', 'pick', 'red');
      await resumeOnce(process, 's');
      await runOnce(process, root, 's');
      const marks = (await world.chunks('s'))
        .map(({ chunk }) => chunk.type)
        .filter((type) => type.startsWith('run_'));
      expect(marks).toEqual([
        'run_started',
        'run_suspended',
        'run_resumed',
        'run_completed',
        'run_started',
        'run_completed',
      ]);
      const [resumed] = await world.chunksOf('s', 'run_resumed');
      expect(resumed?.previousRunId).toBe((await world.runs('s'))[0]?.runId);
    });

    it('ATOM-10 withdraws a model call that broke off, and shows the one that worked', async (world) => {
      let attempt = 0;
      const flaky: Answer = async ({ callbacks }) => {
        attempt += 1;
        if (attempt > 1) return call(use('pick', { n: 2 }, 'call_0'));
        await callbacks.onTextDelta('Let me ');
        await callbacks.onToolInputStart({ index: 0, id: 'call_0', name: 'pick' });
        await callbacks.onToolInputDelta({ index: 0, delta: '{"n": 1' });
        throw new HelixError({ code: 'provider_overloaded', message: 'try again' });
      };
      const root = agent('root', [clientTool('pick')]);
      const model = script({ root: [flaky, say('done')] });
      const process = world.process({ model, agents: [root] });
      const ended = runOnce(process, root, 's');
      await until('it tries again', async () => {
        await world.clock.skip(500);
        return attempt > 1;
      });
      expect(await ended).toMatchObject({ status: 'suspended_client_tool' });
      const chunks = (await world.chunks('s')).map(({ chunk }) => chunk);
      expect(shownTo(chunks)).toEqual([
        'tool_arg_stream_start',
        'tool_arg_stream_delta',
        'tool_start',
      ]);
      expect(await world.messages('s')).toHaveLength(2);
      expect(await answer(process, 's', 'call_0', 'red')).toEqual({ status: 'accepted' });
      expect(await resumeOnce(process, 's')).toEqual(DONE);
    });

    it('ends for every reader when a person is asked, and goes on after the number they know', async (world) => {
      const root = agent('root', [clientTool('pick')]);
      const model = script({ root: [call('pick'), say('done')] });
      const process = world.process({ model, agents: [root] });
      const handle = await process.executor.execute(root, 'go', { sessionId: 's' });
      const readers = await Promise.all([1, 2, 3].map(() => handle.stream()));
      const seen = await Promise.all(readers.map(typesOf));
      expect(seen[1]).toEqual(seen[0]);
      expect(seen[2]).toEqual(seen[0]);
      expect(seen[0]?.at(-1)).toBe('run_suspended');
      await answer(process, 's', 'pick', 'red');
      const resumed = await process.executor.resume('s');
      const late = await typesOf(await resumed.stream({ afterSequence: seen[0]?.length ?? 0 }));
      const all = (await world.chunks('s')).map(({ chunk }) => chunk.type);
      expect([...(seen[0] ?? []), ...late]).toEqual(all);
      expect(await typesOf(await resumed.stream()), 'by default from its own beginning').toEqual(
        late,
      );
    });

    it('gives each handle the chunks of its own run, however late it is asked', async (world) => {
      const root = agent('root', [clientTool('pick')]);
      const model = script({ root: [call('pick'), say('done'), say('more')] });
      const process = world.process({ model, agents: [root] });
      const { executor } = process;
      const first = await executor.execute(root, 'go', { sessionId: 's' });
      await first.result();
      await answer(process, 's', 'pick', 'red');
      const second = await executor.resume('s');
      await second.result();
      const third = await executor.execute(root, 'more', { sessionId: 's' });
      await third.result();
      const read = await Promise.all(
        [first, second, third].map(async (handle) => typesOf(await handle.stream())),
      );
      expect(read.map((types) => [types.at(0), types.at(-1)])).toEqual([
        ['run_started', 'run_suspended'],
        ['run_resumed', 'run_completed'],
        ['run_started', 'run_completed'],
      ]);
      const all = (await world.chunks('s')).map(({ chunk }) => chunk.type);
      expect(read.flat()).toEqual(all);
    });

    it('STRM-01 gives the rest after every number', async (world) => {
      const root = agent('root', [serverTool('look', () => 'seen')]);
      const model = script({ root: [call('look'), say('done')] });
      const process = world.process({ model, agents: [root] });
      const handle = await process.executor.execute(root, 'go', { sessionId: 's' });
      await handle.result();
      const all = (await world.chunks('s')).map(({ chunk }) => chunk.type);
      for (let after = 0; after <= all.length; after += 1) {
        expect(await typesOf(await handle.stream({ afterSequence: after }))).toEqual(
          all.slice(after),
        );
      }
    });

    it('STRM-07 goes on in its numbers when it had ended or failed, and takes nothing in between', async (world) => {
      const root = agent('root', []);
      let asked = 0;
      const failsOnce: Answer = () => {
        asked += 1;
        if (asked > 1) return say('two');
        throw new HelixError({ code: 'provider_error', message: 'gone' });
      };
      const model = script({ root: [say('one'), failsOnce] });
      const process = world.process({ model, agents: [root] });
      const ends: string[] = [];
      for (const status of ['ended', 'failed', 'ended']) {
        const { head = 0 } = (await world.streams.getStreamInfo('s')) ?? {};
        ends.push((await runOnce(process, root, 's')).status);
        const statusNow = async (): Promise<unknown> =>
          (await world.streams.getStreamInfo('s'))?.status;
        await until('its stream has ended', async () => (await statusNow()) === status);
        const chunks = await world.chunks('s');
        expect(chunks.map((one) => one.sequence)).toEqual(chunks.map((_, index) => index + 1));
        expect(chunks[head]?.chunk.type, 'after the last number of the turn before').toBe(
          'run_started',
        );
        const late = await world.streams.createWriter('s', 's', 'root');
        const chunk = chunks[0]?.chunk as StreamChunk;
        await expect(late.write(chunk)).rejects.toMatchObject({ code: 'stream_not_active' });
        expect(await world.chunks('s')).toEqual(chunks);
      }
      expect(ends).toEqual(['completed', 'failed', 'completed']);
    });

    it('tells the end to whoever attaches when the run that ended could not', async (world) => {
      const root = agent('root', [clientTool('pick')]);
      const model = script({ root: [call('pick'), say('done')] });
      const suspendUnheard = async (sessionId: string): Promise<void> => {
        const first = world.process({
          model,
          agents: [root],
          after: (_, plan) => {
            const suspends = plan?.sessions?.some((one) =>
              one.set?.status?.startsWith('suspended_'),
            );
            if (suspends) first.kill();
          },
        });
        await first.executor.execute(root, 'go', { sessionId });
        const status = async (): Promise<string> => (await world.session(sessionId)).status;
        await until('it is suspended', async () => (await status()) !== 'running');
      };
      await suspendUnheard('s');
      const second = world.process({ model, agents: [root] });
      const handle = await second.executor.getHandle(root, 's');
      expect((await typesOf((await handle?.stream()) ?? null)).at(-1)).toBe('run_suspended');
      await second.executor.getHandle(root, 's');
      expect(await world.chunksOf('s', 'run_suspended')).toHaveLength(1);
      await suspendUnheard('t');
      await answer(second, 't', 'pick', 'red');
      const resumed = await second.executor.resume('t');
      expect(await resumed.result()).toMatchObject({ status: 'completed' });
      expect((await typesOf(await resumed.stream()))[0], 'not of the run before').toBe(
        'run_resumed',
      );
      expect(await world.chunksOf('t', 'run_suspended')).toHaveLength(1);
    });

    it('STRM-06 numbers what parent and children say at the same time without gaps', async (world) => {
      const child = helper('child', [serverTool('work', (_, ctx) => ctx.emit('working', null))]);
      const root = agent('root', [subAgent(child)]);
      const calls = [1, 2, 3, 4, 5].map((n) => use('subagent__child', {}, `call-${n}`));
      const model = script({
        root: [call(...calls), say('done')],
        child: [call('work'), finish('here')],
      });
      expect(await runOnce(world.process({ model, agents: [root] }), root, 's')).toEqual(DONE);
      const speakers = new Set((await world.chunks('s')).map(({ chunk }) => chunk.agentId));
      expect(speakers.size).toBe(6);
      expect(await world.chunksOf('s', 'custom')).toHaveLength(5);
    });

    it('goes on when its stream is down, and state is not touched by it', async (world) => {
      const held = barrier();
      const root = agent('root', [serverTool('slow', () => held.pass())]);
      const model = script({ root: [call('slow'), say('done')] });
      const process = world.process({ model, agents: [root] });
      const ended = runOnce(process, root, 's');
      await held.reached;
      await world.streams.failStream('s', 'storage gone');
      held.open();
      expect(await ended).toEqual(DONE);
      expect(await world.results('s')).toEqual(['null']);
    });
  });
}

async function typesOf(stream: AsyncIterable<StreamChunk> | null): Promise<string[]> {
  const types: string[] = [];
  for await (const chunk of stream ?? []) types.push(chunk.type);
  return types;
}

/** What a client still shows of step 1, runs aside: a withdrawal takes back what came before it. */
function shownTo(chunks: readonly StreamChunk[]): string[] {
  const from = chunks.findLastIndex((chunk) => chunk.type === 'step_discarded');
  expect(from).toBeGreaterThan(0);
  return chunks.slice(from + 1).flatMap(({ type }) => (type.startsWith('run_') ? [] : [type]));
}
