// If this fails: what a capability brings to a session changes under it, is lost, or leaves half a step when it fails.
import {
  capabilitySession,
  defineTool,
  type Capability,
  type JsonObject,
  type Tool,
} from '@helix-agents/core';
import { describe, expect } from 'vitest';
import { agent, clientTool, fields, gatedTool, serverTool } from '../definitions.ts';
import { call, say, script, timesAsked } from '../script.ts';
import { barrier } from '../waiting.ts';
import { answer, decide, resumeOnce, runOnce, type Scenario } from '../world.ts';
import { capabilitiesOverFailures } from './capabilities-over-failures.ts';
import { DONE, prefixes, systemPrompt, toolNames } from './kit.ts';
import { skillsAreLoaded } from './skills-are-loaded.ts';
import { skillsArePinned } from './skills-are-pinned.ts';
import { skillsOfOthers } from './skills-of-others.ts';

export function capabilities(it: Scenario): void {
  skillsArePinned(it);
  skillsAreLoaded(it);
  skillsOfOthers(it);
  capabilitiesOverFailures(it);
  describe('a capability', () => {
    it('brings tools and a prompt, in order, and knows the session of its tools', async (world) => {
      const whoAmI = defineTool({
        name: 'who',
        inputSchema: fields({}),
        execute: async (_input, context) => {
          const session = capabilitySession(context);
          return [session.userId, session.metadata.plan, (await session.readMessages()).length];
        },
      }) as Tool;
      const plans: Capability = {
        name: 'plans',
        tools: [whoAmI],
        prompt: ({ metadata }) => `The plan is ${JSON.stringify(metadata.plan)}.`,
      };
      const manners: Capability = { name: 'manners', prompt: 'Be brief.' };
      const root = agent('root', [serverTool('look', () => 'seen')], {
        capabilities: [plans, manners],
      });
      const model = script({ root: [call('who'), say('done')] });
      const { executor } = world.process({ model, agents: [root] });
      const handle = await executor.execute(root, 'go', {
        sessionId: 's',
        userId: 'ann',
        metadata: { plan: 'gold' },
      });
      expect(await handle.result()).toEqual(DONE);
      expect(systemPrompt(model, 's')).toBe('You are root.\n\nThe plan is "gold".\n\nBe brief.');
      expect(toolNames(model, 's')).toEqual(['look', 'who']);
      expect(await world.results('s')).toEqual(['["ann","gold",1]']);
    });

    it('has tools of a session: the model sees them as they were, and the newest code runs', async (world) => {
      const offer = (version: string, ...names: readonly string[]): Capability => ({
        name: 'remote',
        tools: async () =>
          names.map((name) =>
            serverTool(name, () => `${name} ${version}`, { description: `As of ${version}` }),
          ),
      });
      const tools = [clientTool('pick')];
      const before = agent('root', tools, { capabilities: [offer('1', 'find', 'drop')] });
      const after = agent('root', tools, { capabilities: [offer('2', 'more', 'find')] });
      const model = script({
        root: [call('find', 'pick'), call('find', 'drop', 'more'), say('done')],
      });
      await runOnce(world.process({ model, agents: [before] }), before, 's');
      const process = world.process({ model, agents: [after] });
      await answer(process, 's', 'pick', 'red');
      expect(await resumeOnce(process, 's')).toEqual(DONE);
      expect(new Set(prefixes(model, 's')).size).toBe(1);
      expect(toolNames(model, 's')).toEqual(['pick', 'find', 'drop']);
      expect((await world.results('s')).slice(0, 4)).toEqual([
        'find 1',
        'red',
        'find 2',
        'Error: The tool drop no longer exists.',
      ]);
      expect((await world.results('s'))[4]).toContain('There is no tool "more"');
    });

    it('has gated tools of a session, which a person approves', async (world) => {
      const remote: Capability = { name: 'remote', tools: () => [gatedTool('send', () => 'sent')] };
      const root = agent('root', [], { capabilities: [remote] });
      const model = script({ root: [call('send'), say('done')] });
      const process = world.process({ model, agents: [root] });
      expect(await runOnce(process, root, 's')).toMatchObject({ suspended: {} });
      await decide(process, 's', 'send', true);
      expect(await resumeOnce(process, 's')).toEqual(DONE);
      expect(await world.results('s')).toEqual(['sent']);
    });

    it('adds notes that the model reads, in front of its answer, the same in every later step', async (world) => {
      const recall: Capability = {
        name: 'recall',
        beforeStep: ({ stepCount }) =>
          stepCount === 0 ? { notes: [{ content: 'Ann likes tea.', metadata: { ids: [1] } }] } : {},
      };
      const root = agent('root', [clientTool('pick')], { capabilities: [recall] });
      const model = script({ root: [call('pick'), say('done')] });
      await runOnce(world.process({ model, agents: [root] }), root, 's');
      const process = world.process({ model, agents: [root] });
      await answer(process, 's', 'pick', 'red');
      expect(await resumeOnce(process, 's')).toEqual(DONE);
      const messages = await world.messages('s');
      expect(messages.map(({ role }) => role)).toEqual([
        'user',
        'user',
        'assistant',
        'tool',
        'assistant',
      ]);
      const metadata: JsonObject = { ids: [1], capability: 'recall', hidden: true };
      expect(messages[1]).toEqual({ role: 'user', content: 'Ann likes tea.', metadata });
      const [first, second] = model.calls.map((one) => JSON.stringify(one.messages).slice(0, -1));
      expect(second?.startsWith(first as string)).toBe(true);
    });

    it('keeps its notes in the transcript of a step that is aborted', async (world) => {
      const recall: Capability = {
        name: 'recall',
        beforeStep: () => ({ notes: [{ content: 'A note.' }] }),
      };
      const root = agent('root', [clientTool('pick')], { capabilities: [recall] });
      const model = script({ root: [call('pick'), say('done')] });
      const process = world.process({ model, agents: [root] });
      await runOnce(process, root, 's');
      await process.executor.abort('s');
      const roles = (await world.messages('s')).map(({ role }) => role);
      expect(roles).toEqual(['user', 'user', 'assistant', 'tool']);
    });

    for (const [what, capability, code] of broken()) {
      it(`fails the step with ${code} and writes nothing of it: ${what}`, async (world) => {
        const good: Capability = { name: 'good', prompt: () => 'Good.' };
        const root = agent('root', [serverTool('look', () => 'seen')], {
          capabilities: [good, capability],
        });
        const model = script({ root: [say('done')] });
        const failed = await runOnce(world.process({ model, agents: [root] }), root, 's');
        expect(failed).toMatchObject({ status: 'failed', error: { code } });
        expect((await world.messages('s')).map(({ role }) => role)).toEqual(['user']);
        const ref = { rootId: 's', sessionId: 's' };
        expect(await world.storeOf(ref).readJournal(ref, 0), 'pins').toEqual([]);
        expect(timesAsked(model, 'root')).toBe(0);
      });
    }

    it('fails the step with capability_failed whatever else `beforeStep` returns', async (world) => {
      for (const [at, [what, returned]] of oddSteps().entries()) {
        const bad: Capability = { name: 'bad', beforeStep: () => returned as never };
        const root = agent('root', [], { capabilities: [bad] });
        const model = script({ root: [say('done')] });
        const failed = await runOnce(world.process({ model, agents: [root] }), root, `s${at}`);
        expect(failed, what).toMatchObject({
          status: 'failed',
          error: { code: 'capability_failed' },
        });
        expect((await world.messages(`s${at}`)).map(({ role }) => role)).toEqual(['user']);
        expect(timesAsked(model, 'root')).toBe(0);
      }
    });

    it('has a time of its own to answer in', async (world) => {
      const at = barrier();
      const slow: Capability = {
        name: 'slow',
        timeoutMs: 60_000,
        beforeStep: () => at.pass(),
      };
      const root = agent('root', [], { capabilities: [slow] });
      const model = script({ root: [say('done')] });
      const ended = runOnce(world.process({ model, agents: [root] }), root, 's');
      await at.reached;
      await world.clock.skip(60_000);
      expect(await ended).toMatchObject({
        status: 'failed',
        error: { code: 'capability_timeout' },
      });
    });

    it('fails only the call of a tool that it does not bring any more', async (world) => {
      let isDown = false;
      const remote: Capability = {
        name: 'remote',
        tools: () => {
          if (isDown) throw new Error('down');
          return [serverTool('find', () => 'found')];
        },
      };
      const root = agent('root', [], { capabilities: [remote], maxSteps: 1 });
      const goesDown = () => {
        isDown = true;
        return call('find');
      };
      const model = script({ root: [goesDown] });
      await runOnce(world.process({ model, agents: [root] }), root, 's');
      const [message] = (await world.messages('s')).filter(({ role }) => role === 'tool');
      expect(message).toMatchObject({ errorDetail: { code: 'capability_failed' } });
    });

    it('has hooks that fire after those of the agent', async (world) => {
      const fired: string[] = [];
      const hooks = (name: string) => ({
        onAgentComplete: () => {
          fired.push(name);
        },
      });
      const root = agent('root', [], {
        hooks: hooks('agent'),
        capabilities: [{ name: 'watch', hooks: hooks('capability') }],
      });
      const model = script({ root: [say('done')] });
      expect(await runOnce(world.process({ model, agents: [root] }), root, 's')).toEqual(DONE);
      expect([...new Set(fired)]).toEqual(['agent', 'capability']);
    });
  });
}

function broken(): readonly (readonly [string, Capability, string])[] {
  const fails = () => {
    throw new Error('no');
  };
  return [
    ['a prompt that throws', { name: 'bad', prompt: fails }, 'capability_failed'],
    ['a prompt that is no text', { name: 'bad', prompt: () => 1 as never }, 'capability_failed'],
    [
      'a prompt of megabytes',
      { name: 'bad', prompt: () => 'x'.repeat(2_000_000) },
      'capability_failed',
    ],
    ['tools that throw', { name: 'bad', tools: fails }, 'capability_failed'],
    ['tools that are no list', { name: 'bad', tools: () => ({}) as never }, 'capability_failed'],
    [
      'a client tool of a session',
      { name: 'bad', tools: () => [clientTool('ask')] },
      'capability_failed',
    ],
    [
      'a tool of a session with the name of another',
      { name: 'bad', tools: () => [serverTool('look', () => 'x')] },
      'definition_invalid',
    ],
    ['a step that throws', { name: 'bad', beforeStep: fails }, 'capability_failed'],
    [
      'an empty note',
      { name: 'bad', beforeStep: () => ({ notes: [{ content: '' }] }) },
      'capability_failed',
    ],
  ];
}

/** What `beforeStep` must not return. */
function oddSteps(): readonly (readonly [string, unknown])[] {
  const note = { content: 'x' };
  return [
    ['a number', 5],
    ['a list', [note]],
    ['another name for notes', { note: [note] }],
    ['notes that are no list', { notes: 'abc' }],
    ['a note that is nothing', { notes: [null] }],
    ['a note with an unknown part', { notes: [{ ...note, role: 'system' }] }],
    ['a note with metadata that is a text', { notes: [{ ...note, metadata: 'x' }] }],
    ['a note with metadata that is no data', { notes: [{ ...note, metadata: { a: 1n } }] }],
    ['notes of megabytes', { notes: [{ content: 'x'.repeat(2_000_000) }] }],
    ['hundreds of notes', { notes: Array.from({ length: 101 }, () => note) }],
  ];
}
