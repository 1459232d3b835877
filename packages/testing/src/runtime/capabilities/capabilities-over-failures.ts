// If this fails: code of a capability holds a run for ever or is cut short, or what a session was shown changes when a step is tried again
// or by another process.
import { inCodeSkillProvider, type Capability } from '@helix-agents/core';
import { describe, expect } from 'vitest';
import { agent, clientTool, serverTool } from '../definitions.ts';
import { call, say, script, timesAsked, use } from '../script.ts';
import { barrier, type Barrier } from '../waiting.ts';
import { answer, resumeOnce, runOnce, type Scenario } from '../world.ts';
import { DONE, prefixes, REFUNDS, systemPrompt, TONE } from './kit.ts';

const DEFAULT_MS = 5_000;
const MINUTE = 60_000;

export function capabilitiesOverFailures(it: Scenario): void {
  describe('a capability that takes its time', () => {
    for (const part of ['tools', 'prompt', 'beforeStep'] as const) {
      it(`SKIL-04 fails the step when \`${part}\` hangs, and retry goes on`, async (world) => {
        const at = barrier();
        let isHanging = true;
        const slow = held(part, () => (isHanging ? at : null));
        const root = agent('root', [], { capabilities: [slow] });
        const model = script({ root: [say('done')] });
        const process = world.process({ model, agents: [root] });
        const ended = runOnce(process, root, 's');
        await at.reached;
        await world.clock.skip(DEFAULT_MS);
        expect(await ended).toMatchObject({
          status: 'failed',
          error: { code: 'capability_timeout', message: expect.stringContaining(part) },
        });
        expect(process.events).toContainEqual({
          level: 'error',
          name: 'capability.late',
          data: expect.objectContaining({ capability: 'slow', part, timeoutMs: DEFAULT_MS }),
        });
        expect((await world.messages('s')).map(({ role }) => role)).toEqual(['user']);
        const ref = { rootId: 's', sessionId: 's' };
        expect(await world.storeOf(ref).readJournal(ref, 0), 'pins').toEqual([]);
        expect(timesAsked(model, 'root')).toBe(0);
        isHanging = false;
        expect(await (await process.executor.retry('s')).result()).toEqual(DONE);
      });
    }

    it('SKIL-04 is waited for as long as it asked for, each function on its own', async (world) => {
      const places = { prompt: barrier(), beforeStep: barrier() };
      const slow: Capability = {
        name: 'slow',
        timeoutMs: MINUTE,
        prompt: () => places.prompt.pass().then(() => 'Slow.'),
        beforeStep: () => places.beforeStep.pass(),
      };
      const root = agent('root', [], { capabilities: [slow] });
      const model = script({ root: [say('done')] });
      const process = world.process({ model, agents: [root], limits: { pollMs: MINUTE } });
      const ended = runOnce(process, root, 's');
      for (const place of [places.prompt, places.beforeStep]) {
        await place.reached;
        // More than any other function has, and together more than this one has.
        await world.clock.skip(MINUTE - DEFAULT_MS);
        place.open();
      }
      expect(await ended).toEqual(DONE);
      expect(systemPrompt(model, 's')).toContain('Slow.');
    });

    it('SKIL-04 fails only the call when it hangs while one of its tools is to run', async (world) => {
      const at = barrier();
      let isHanging = false;
      const remote: Capability = {
        name: 'remote',
        tools: async () => {
          if (isHanging) await at.pass();
          return [serverTool('find', () => 'found')];
        },
      };
      const root = agent('root', [], { capabilities: [remote] });
      const hangs = () => {
        isHanging = true;
        return call('find');
      };
      const model = script({ root: [hangs, say('done')] });
      const ended = runOnce(world.process({ model, agents: [root] }), root, 's');
      await at.reached;
      isHanging = false;
      await world.clock.skip(DEFAULT_MS);
      expect(await ended).toEqual(DONE);
      const [message] = (await world.messages('s')).filter(({ role }) => role === 'tool');
      expect(message).toMatchObject({ errorDetail: { code: 'capability_timeout' } });
    });

    it('SKIL-04 goes on without what it waits for in a time of its own', async (world) => {
      const at = barrier();
      const codes: unknown[] = [];
      const recall: Capability = {
        name: 'recall',
        beforeStep: async (session) => {
          const known = await session.within(1_000, () => 'tea');
          const content = await session
            .within(1_000, () => at.pass().then(() => 'late'))
            .catch(({ code }: { code?: unknown }) => {
              codes.push(code);
              return `Only ${known}.`;
            });
          return { notes: [{ content }] };
        },
      };
      const root = agent('root', [], { capabilities: [recall] });
      const model = script({ root: [say('done')] });
      const ended = runOnce(world.process({ model, agents: [root] }), root, 's');
      await at.reached;
      await world.clock.skip(1_000);
      expect(await ended).toEqual(DONE);
      expect(codes).toEqual(['capability_timeout']);
      expect((await world.messages('s'))[1]).toMatchObject({ content: 'Only tea.' });
    });
  });

  describe('what a session was shown', () => {
    it('SKIL-04 is the same when a later step failed and is tried again after an edit', async (world) => {
      const tools = [serverTool('look', () => 'seen')];
      const offer = (version: string, isBroken: boolean): readonly Capability[] => [
        {
          name: 'remote',
          prompt: () => `Version ${version}.`,
          tools: () => [
            serverTool('find', () => `found ${version}`, { description: `As of ${version}` }),
          ],
          beforeStep: ({ stepCount }) => {
            if (isBroken && stepCount > 0) throw new Error('down');
          },
        },
      ];
      const before = agent('root', tools, { skills: [REFUNDS], capabilities: offer('1', true) });
      const edited = agent('root', tools, { skills: [TONE], capabilities: offer('2', false) });
      const model = script({ root: [call('look'), call('find'), say('done')] });
      expect(await runOnce(world.process({ model, agents: [before] }), before, 's')).toMatchObject({
        status: 'failed',
        error: { code: 'capability_failed' },
      });
      expect(timesAsked(model, 'root')).toBe(1);
      const { executor } = world.process({ model, agents: [edited] });
      expect(await (await executor.retry('s')).result()).toEqual(DONE);
      expect(prefixes(model, 's')).toHaveLength(3);
      expect(new Set(prefixes(model, 's')).size).toBe(1);
      expect(await world.results('s')).toEqual(['seen', 'found 2']);
    });

    it.race(
      'SKIL-04 is the same when two processes resume the session at once, with different skills',
      async (world) => {
        const tools = [clientTool('pick')];
        const before = agent('root', tools, { skills: [REFUNDS, TONE], preloadSkills: ['tone'] });
        const edited = agent('root', tools, {
          skills: inCodeSkillProvider([{ ...REFUNDS, description: 'Edited.' }]),
        });
        const load = use('load_skill', { name: 'refunds' }, 'load');
        const model = script({ root: [call('pick'), call(load), say('done')] });
        const first = world.process({ model, agents: [before] });
        const second = world.process({ model, agents: [edited] });
        await runOnce(first, before, 's');
        await answer(first, 's', 'pick', 'red');
        const ended = [first, second].map((process) => resumeOnce(process, 's'));
        expect(await Promise.all(ended)).toEqual([DONE, DONE]);
        expect(new Set(prefixes(model, 's')).size).toBe(1);
        expect((await world.results('s'))[1]).toContain('Ask for the order.');
        expect(await world.results('s')).toHaveLength(2);
        expect(await world.chunksOf('s', 'custom')).toHaveLength(1);
      },
    );
  });
}

/** A capability of which one part waits at a barrier while there is one. */
function held(part: 'tools' | 'prompt' | 'beforeStep', at: () => Barrier | null): Capability {
  const wait = async (): Promise<void> => at()?.pass();
  switch (part) {
    case 'tools':
      return { name: 'slow', tools: () => wait().then(() => []) };
    case 'prompt':
      return { name: 'slow', prompt: () => wait().then(() => 'Slow.') };
    case 'beforeStep':
      return { name: 'slow', beforeStep: wait };
  }
}
