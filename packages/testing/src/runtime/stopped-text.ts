// If this fails: a person stops an answer and what they read of it is gone, comes back twice, or spoils the next prompt.
import type { AssistantMessage } from '@helix-agents/core';
import { describe, expect } from 'vitest';
import { cut, SAID, speaks, toldText, type Speak } from './cut-models.ts';
import { agent, helper, serverTool, subAgent } from './definitions.ts';
import { standing } from './invariants.ts';
import { onFirst, records } from './plan-kinds.ts';
import { LEASE_MS, type Process } from './process.ts';
import { call, finish, say, script, timesAsked, type Answer } from './script.ts';
import { withdrawnText } from './withdrawn-text.ts';
import { barrier, until, type Barrier } from './waiting.ts';
import { resumeOnce, runOnce, type Scenario, type World } from './world.ts';

const DONE = { status: 'completed', output: 'done' };
const INTERRUPTED = { status: 'interrupted' };
/** Runs until the model is held, and stops it from another process. */
async function stopped(
  run: () => Promise<unknown>,
  held: Barrier,
  by: Process,
  sessionId = 's',
): Promise<void> {
  const ended = run();
  await held.reached;
  expect(await by.executor.interrupt(sessionId)).toMatchObject({ status: 'requested' });
  expect(await ended).toEqual(INTERRUPTED);
}

const kindsBeside = async (world: World, sessionId: string): Promise<readonly string[]> =>
  (await world.step(sessionId)).journal.map((row) => row.kind);

const textsOf = async (world: World, sessionId: string): Promise<readonly string[]> =>
  (await world.messages(sessionId)).map((one) => `${one.role}: ${one.content}`);

const stoppedIn = async (world: World, sessionId: string): Promise<readonly AssistantMessage[]> =>
  (await world.messages(sessionId)).filter(
    (one): one is AssistantMessage => one.role === 'assistant' && one.stopped === true,
  );

export function stoppedText(it: Scenario): void {
  describe('stopped text', () => {
    it('INTR-08 keeps what a model said until it was stopped, and the next message appends it', async (world) => {
      const held = barrier();
      const root = agent('root', []);
      const model = script({ root: [cut(held), say('done')] });
      const a = world.process({ model, agents: [root] });
      const b = world.process({ model, agents: [root] });
      await stopped(() => runOnce(a, root, 's', 'first'), held, b);
      expect(await textsOf(world, 's'), 'it is beside the step').toEqual(['user: first']);
      expect(await kindsBeside(world, 's')).toEqual(['stopped']);
      expect(await world.chunksOf('s', 'step_stopped')).toMatchObject([{ step: 1 }]);
      expect(await toldText(world)).toEqual([SAID]);
      expect(await runOnce(b, root, 's', 'second')).toEqual(DONE);
      expect(await textsOf(world, 's')).toEqual([
        'user: first',
        `assistant: ${SAID}`,
        'user: second',
        'assistant: done',
      ]);
      expect(await stoppedIn(world, 's')).toMatchObject([{ content: SAID }]);
      const prompt = model.calls.at(-1)?.messages.slice(1);
      expect(prompt?.map(({ content }) => content)).toEqual(['first', SAID, 'second']);
      expect(await toldText(world)).toEqual([SAID, 'done']);
    });

    it('INTR-08 withdraws what a stopped model said when the session is resumed', async (world) => {
      const held = barrier();
      const root = agent('root', []);
      const model = script({ root: [cut(held)] });
      const a = world.process({ model, agents: [root] });
      const b = world.process({ model, agents: [root] });
      await stopped(() => runOnce(a, root, 's'), held, b);
      held.open();
      expect(await resumeOnce(b, 's')).toEqual(DONE);
      expect(await textsOf(world, 's')).toEqual(['user: go', 'assistant: done']);
      expect(model.calls.at(-1)?.messages).toHaveLength(2);
      expect((await toldText(world)).at(-1)).toMatch(/done$/);
      expect(await world.chunksOf('s', 'step_discarded')).toContainEqual(
        expect.objectContaining({ step: 1, reason: 'stopped' }),
      );
    });

    it('INTR-08 keeps only what the last of several stops cut', async (world) => {
      const held = [barrier(), barrier(), barrier()] as const;
      const root = agent('root', []);
      let asked = 0;
      const first: Answer = (input) => {
        asked += 1;
        const at = held[Math.min(asked, 3) - 1] ?? held[2];
        const words = `try ${asked}`;
        return cut(at, (callbacks) => asked < 3 && callbacks.onTextDelta(words))(input);
      };
      const model = script({ root: [first, say('done')] });
      const a = world.process({ model, agents: [root] });
      const b = world.process({ model, agents: [root] });
      await stopped(() => runOnce(a, root, 's', 'first'), held[0], b);
      await stopped(() => resumeOnce(a, 's'), held[1], b);
      expect(await toldText(world)).toEqual(['try 2']);
      expect(await kindsBeside(world, 's')).toEqual(['stopped']);
      await stopped(() => resumeOnce(a, 's'), held[2], b);
      expect(await kindsBeside(world, 's'), 'the third said nothing').toEqual(['withdrawn']);
      expect(await toldText(world)).toEqual([]);
      const again = script({ root: [say('done')] });
      const c = world.process({ model: again, agents: [root] });
      expect(await runOnce(c, root, 's', 'second')).toEqual(DONE);
      expect(await stoppedIn(world, 's')).toEqual([]);
    });

    it('INTR-08 drops a call whose input was under way, and keeps reasoning for people only', async (world) => {
      const held = barrier();
      const root = agent('root', [serverTool('look', () => 'seen')]);
      const speak: Speak = async (callbacks) => {
        await callbacks.onThinking('hm', true);
        await callbacks.onTextDelta(SAID);
        await callbacks.onToolInputStart({ index: 0, id: 'look', name: 'look' });
        await callbacks.onToolInputDelta({ index: 0, delta: '{"what":' });
      };
      const model = script({ root: [cut(held, speak), say('done')] });
      const a = world.process({ model, agents: [root] });
      await stopped(() => runOnce(a, root, 's'), held, a);
      expect(await runOnce(a, root, 's', 'second')).toEqual(DONE);
      const [kept] = await stoppedIn(world, 's');
      expect(kept).toMatchObject({ content: SAID, thinking: 'hm' });
      expect(kept).not.toHaveProperty('toolCalls');
      const shown = model.calls.at(-1)?.messages[2];
      expect(shown).toMatchObject({ role: 'assistant', content: SAID });
      expect(shown).not.toHaveProperty('thinking');
      expect(await world.chunksOf('s', 'tool_start')).toEqual([]);
    });

    it('INTR-08 keeps reasoning that was stopped before any text, and leaves it out of the next prompt', async (world) => {
      const held = barrier();
      const root = agent('root', []);
      const speak: Speak = async (callbacks) => {
        await callbacks.onThinking('let me ', false);
        await callbacks.onThinking('see', false);
        await callbacks.onTextDelta(' \n');
      };
      const model = script({ root: [cut(held, speak)] });
      const a = world.process({ model, agents: [root] });
      await stopped(() => runOnce(a, root, 's', 'first'), held, a);
      expect(await kindsBeside(world, 's')).toEqual(['stopped']);
      expect(await world.chunksOf('s', 'step_stopped')).toMatchObject([{ step: 1 }]);
      expect(await world.chunksOf('s', 'step_discarded')).toEqual([]);
      // A script answers by the answers in its prompt, and this prompt has none: the same one is asked again.
      held.open();
      expect(await runOnce(a, root, 's', 'second')).toEqual(DONE);
      expect(await stoppedIn(world, 's')).toMatchObject([
        { content: ' \n', thinking: 'let me see' },
      ]);
      const prompt = model.calls.at(-1)?.messages.slice(1);
      expect(prompt?.map(({ content }) => content)).toEqual(['first', 'second']);
    });

    it('INTR-08 withdraws the input of a call once, if that is all a stopped model said', async (world) => {
      const held = barrier();
      const root = agent('root', [serverTool('look', () => 'seen')]);
      const speak: Speak = async (callbacks) => {
        await callbacks.onToolInputStart({ index: 0, id: 'look', name: 'look' });
        await callbacks.onToolInputDelta({ index: 0, delta: '{"what":' });
      };
      const model = script({ root: [cut(held, speak)] });
      const a = world.process({ model, agents: [root] });
      await stopped(() => runOnce(a, root, 's', 'first'), held, a);
      expect(await kindsBeside(world, 's')).toEqual(['withdrawn']);
      expect(await world.chunksOf('s', 'step_discarded')).toMatchObject([
        { step: 1, reason: 'interrupted' },
      ]);
      // A script answers by the answers in its prompt, and this prompt has none: the same one is asked again.
      held.open();
      expect(await runOnce(a, root, 's', 'second')).toEqual(DONE);
      expect(await stoppedIn(world, 's')).toEqual([]);
    });

    it('INTR-08 withdraws what a stopped model said by an abort and by time travel', async (world) => {
      const held = [barrier(), barrier()] as const;
      const root = agent('root', []);
      const model = script({ root: [say('one'), cut(held[0])] });
      const process = world.process({ model, agents: [root] });
      await runOnce(process, root, 's', 'first');
      await stopped(() => runOnce(process, root, 's', 'second'), held[0], process);
      const [checkpoint] = await world
        .storeOf({ rootId: 's', sessionId: 's' })
        .readCheckpoints({ rootId: 's', sessionId: 's' }, { limit: 1 });
      held[0].open();
      const checkpointId = checkpoint?.checkpointId ?? '';
      const handle = await process.executor.resume(root, 's', {
        checkpointId,
      });
      expect(await handle.result()).toEqual(DONE);
      expect(await textsOf(world, 's')).toEqual([
        'user: first',
        'assistant: one',
        'assistant: done',
      ]);
      const cutAgain = script({ root: [cut(held[1])] });
      const other = world.process({ model: cutAgain, agents: [root] });
      await stopped(() => runOnce(other, root, 't'), held[1], other, 't');
      expect(await other.executor.abort('t')).toMatchObject({ status: 'aborted' });
      expect(await textsOf(world, 't')).toEqual(['user: go']);
      expect(await kindsBeside(world, 't')).toEqual(['withdrawn']);
      expect(standing(await world.chunks('t')).map(({ chunk }) => chunk.type)).not.toContain(
        'text_delta',
      );
    });

    it('INTR-08 stops a sub-agent in mid-sentence, which goes on or keeps what it said', async (world) => {
      const held = [barrier(), barrier()] as const;
      const child = helper('child', []);
      const root = agent('root', [subAgent(child)]);
      let asked = 0;
      const speak: Answer = (input) => {
        asked += 1;
        return cut(held[asked === 1 ? 0 : 1], speaks, finish('here'))(input);
      };
      const model = script({ root: [call('subagent__child'), say('done')], child: [speak] });
      const a = world.process({ model, agents: [root] });
      const b = world.process({ model, agents: [root] });
      const childId = 's-sub-1-0';
      await stopped(() => runOnce(a, root, 's'), held[0], b);
      expect(await kindsBeside(world, childId)).toEqual(['stopped']);
      await stopped(() => resumeOnce(a, 's'), held[1], b);
      expect(await toldText(world, childId), 'the first was withdrawn').toEqual([SAID]);
      expect(await runOnce(b, root, 's', 'second')).toEqual(DONE);
      expect(await stoppedIn(world, childId)).toMatchObject([{ content: SAID }]);
      expect(await stoppedIn(world, 's')).toEqual([]);
      expect(timesAsked(model, 'child')).toBe(2);
    });

    it('INTR-08 keeps what was said when the process dies right after the stop is stored', async (world) => {
      const held = barrier();
      const root = agent('root', []);
      const model = script({ root: [cut(held), say('done')] });
      const a = world.process({
        model,
        agents: [root],
        after: onFirst(records('stopped'), () => a.kill()),
      });
      const b = world.process({ model, agents: [root] });
      await a.executor.execute(root, 'first', { sessionId: 's' });
      await held.reached;
      await b.executor.interrupt('s');
      await until('it stops', async () => (await world.session('s')).status === 'interrupted');
      expect(await runOnce(b, root, 's', 'second')).toEqual(DONE);
      expect(await stoppedIn(world, 's')).toMatchObject([{ content: SAID }]);
      expect(await world.chunksOf('s', 'step_stopped')).toMatchObject([{ step: 1 }]);
    });

    it.leased(
      'INTR-08 obeys a stop without the text that a dead process had in its memory',
      async (world) => {
        const held = barrier();
        const root = agent('root', []);
        const model = script({ root: [cut(held)] });
        const died = barrier();
        const a = world.process({
          model,
          agents: [root],
          before: onFirst(records('stopped'), () => {
            a.kill();
            void died.pass();
          }),
        });
        const b = world.process({ model, agents: [root] });
        await a.executor.execute(root, 'first', { sessionId: 's' });
        await held.reached;
        await b.executor.interrupt('s');
        await died.reached;
        await world.clock.skip(LEASE_MS + 1);
        await b.executor.sweep();
        await until('it stops', async () => (await world.session('s')).status === 'interrupted');
        expect(await kindsBeside(world, 's')).toEqual(['withdrawn']);
        await until('it is withdrawn', async () => (await toldText(world)).length === 0);
        held.open();
        expect(await resumeOnce(b, 's')).toEqual(DONE);
      },
    );

    withdrawnText(it);
  });
}
