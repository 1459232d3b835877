// If this fails: a session's prompt changes under it because of an edit, an order or another process, and the provider's cache is
// lost; or a skill that cannot be read leaves half a step (SKIL-04).
import { inCodeSkillProvider, type SkillProvider } from '@helix-agents/core';
import { describe, expect } from 'vitest';
import { agent, clientTool, helper, serverTool, subAgent } from '../definitions.ts';
import { onFirst, records } from '../plan-kinds.ts';
import { LEASE_MS } from '../process.ts';
import { call, finish, say, script, timesAsked } from '../script.ts';
import { barrier, until } from '../waiting.ts';
import { answer, resumeOnce, runOnce, type Scenario } from '../world.ts';
import { broken, DONE, prefixes, REFUNDS, shuffled, systemPrompt, TONE, toolNames } from './kit.ts';

const MINUTE = 60_000;

export function skillsArePinned(it: Scenario): void {
  describe('the skills of a session', () => {
    for (const durability of ['call', 'step'] as const) {
      it(`SKIL-04 give the same bytes over steps, turns, resumes, processes and edits: durability ${durability}`, async (world) => {
        const tools = [serverTool('look', () => 'seen'), clientTool('pick')];
        const more = { durability, preloadSkills: ['tone'] };
        const before = agent('root', tools, { ...more, skills: shuffled(REFUNDS, TONE) });
        const edited = agent('root', tools, {
          ...more,
          skills: shuffled({ ...TONE, body: 'Be rude.' }, { ...REFUNDS, name: 'other' }),
        });
        const model = script({
          root: [call('look'), call('pick'), say('done'), call('look'), say('done')],
        });
        await runOnce(world.process({ model, agents: [before] }), before, 's');
        const process = world.process({ model, agents: [edited] });
        await answer(process, 's', 'pick', 'red');
        expect(await resumeOnce(process, 's')).toEqual(DONE);
        expect(await runOnce(process, edited, 's', 'again')).toEqual(DONE);
        expect(timesAsked(model, 'root')).toBe(5);
        expect(new Set(prefixes(model, 's')).size).toBe(1);
        // A session that begins later has the edit.
        expect(await runOnce(process, edited, 'later')).toMatchObject({ suspended: {} });
        expect(systemPrompt(model, 'later')).toContain('Be rude.');
      });
    }

    it.leased(
      'SKIL-04 are those of the plan that a process recorded before it died, whoever takes over',
      async (world) => {
        const tools = [serverTool('look', () => 'seen')];
        const before = agent('root', tools, { skills: shuffled(REFUNDS, TONE) });
        const edited = agent('root', tools, { skills: [TONE] });
        const model = script({ root: [call('look'), say('done')] });
        const first = world.process({
          model,
          agents: [before],
          after: onFirst(records('pin'), () => first.kill()),
        });
        await first.executor.execute(before, 'go', { sessionId: 's' });
        await until('the plan is recorded', async () => (await world.step('s')).journal.length > 0);
        await world.clock.skip(LEASE_MS + 1);
        expect(await resumeOnce(world.process({ model, agents: [edited] }), 's')).toEqual(DONE);
        expect(prefixes(model, 's')).toHaveLength(2);
        expect(new Set(prefixes(model, 's')).size).toBe(1);
      },
    );

    it('SKIL-04 are those of the original in a branch, and the same after time travel', async (world) => {
      const tools = [serverTool('look', () => 'seen')];
      const before = agent('root', tools, { skills: [REFUNDS] });
      const edited = agent('root', tools, { skills: [TONE] });
      const model = script({ root: [call('look'), say('done')] });
      await runOnce(world.process({ model, agents: [before] }), before, 's');
      const { executor } = world.process({ model, agents: [edited] });
      const [, first] = await world
        .storeOf({ rootId: 's', sessionId: 's' })
        .readCheckpoints({ rootId: 's', sessionId: 's' });
      const checkpointId = first?.checkpointId as string;
      await executor.branchSession('s', { checkpointId, sessionId: 'branch' });
      const branched = await executor.resume('branch');
      expect(await branched.result()).toEqual(DONE);
      const travelled = await executor.resume('s', { checkpointId });
      expect(await travelled.result()).toEqual(DONE);
      const all = [...prefixes(model, 's'), ...prefixes(model, 'branch')];
      expect(all).toHaveLength(4);
      expect(new Set(all).size).toBe(1);
    });

    it('SKIL-04 are not inherited: a sub-agent has its own or none', async (world) => {
      const plain = helper('plain');
      const own = helper('own', [], { skills: [TONE] });
      const root = agent('root', [subAgent(plain), subAgent(own)], {
        skills: [REFUNDS],
        preloadSkills: ['refunds'],
      });
      const model = script({
        root: [call('subagent__plain', 'subagent__own'), say('done')],
        plain: [finish('here')],
        own: [finish('here')],
      });
      expect(await runOnce(world.process({ model, agents: [root] }), root, 's')).toEqual(DONE);
      expect(systemPrompt(model, 's-sub-1-0')).toBe('You are plain.');
      expect(toolNames(model, 's-sub-1-0')).toEqual(['__finish__']);
      expect(systemPrompt(model, 's-sub-1-1')).toContain('tone');
      expect(systemPrompt(model, 's-sub-1-1')).not.toContain('refunds');
      expect(toolNames(model, 's-sub-1-1')).toEqual([
        'load_skill',
        'read_skill_file',
        '__finish__',
      ]);
    });

    it('SKIL-04 fail the step with a typed code when their provider throws, and retry goes on', async (world) => {
      let fails = true;
      const provider = inCodeSkillProvider([REFUNDS]);
      const skills: SkillProvider = {
        ...provider,
        listSkills: async () => {
          if (fails) throw new Error('EACCES /secret/path');
          return provider.listSkills();
        },
      };
      const root = agent('root', [], { skills });
      const model = script({ root: [say('done')] });
      const process = world.process({ model, agents: [root] });
      const failed = await runOnce(process, root, 's');
      expect(failed).toMatchObject({ status: 'failed', error: { code: 'capability_failed' } });
      expect(JSON.stringify(failed)).not.toContain('secret');
      expect(process.log).toContain('capability.failed');
      expect((await world.messages('s')).map(({ role }) => role)).toEqual(['user']);
      const ref = { rootId: 's', sessionId: 's' };
      expect(await world.storeOf(ref).readJournal(ref, 0), 'pins').toEqual([]);
      expect(timesAsked(model, 'root')).toBe(0);
      fails = false;
      expect(await (await process.executor.retry('s')).result()).toEqual(DONE);
      expect(systemPrompt(model, 's')).toContain('refunds');
    });

    it('SKIL-04 fail the step with a typed code when their provider gives no list', async (world) => {
      for (const [at, listed] of [undefined, {}, 'tone'].entries()) {
        const skills = { ...inCodeSkillProvider([TONE]), listSkills: async () => listed as never };
        const root = agent('root', [], { skills });
        const process = world.process({ model: script({ root: [say('done')] }), agents: [root] });
        expect(await runOnce(process, root, `s${at}`)).toMatchObject({
          status: 'failed',
          error: { code: 'capability_failed' },
        });
        expect((await world.messages(`s${at}`)).map(({ role }) => role)).toEqual(['user']);
      }
    });

    it('SKIL-04 fail the step with a typed code when their provider hangs', async (world) => {
      const at = barrier();
      const provider = inCodeSkillProvider([REFUNDS]);
      const skills: SkillProvider = {
        ...provider,
        listSkills: async () => {
          await at.pass();
          return [];
        },
      };
      const root = agent('root', [], { skills });
      const model = script({ root: [say('done')] });
      const ended = runOnce(world.process({ model, agents: [root] }), root, 's');
      await at.reached;
      await world.clock.skip(MINUTE);
      expect(await ended).toMatchObject({
        status: 'failed',
        error: { code: 'capability_timeout' },
      });
      expect((await world.messages('s')).map(({ role }) => role)).toEqual(['user']);
      expect(timesAsked(model, 'root')).toBe(0);
    });

    it('SKIL-04 do not hold an interrupt: a provider that hangs is left, and asked again', async (world) => {
      const at = barrier();
      const provider = inCodeSkillProvider([REFUNDS]);
      const skills: SkillProvider = {
        ...provider,
        listSkills: async () => {
          await at.pass();
          return provider.listSkills();
        },
      };
      const root = agent('root', [], { skills });
      const model = script({ root: [say('done')] });
      const process = world.process({ model, agents: [root] });
      const ended = runOnce(process, root, 's');
      await at.reached;
      await process.executor.interrupt('s');
      expect(await ended).toEqual({ status: 'interrupted' });
      at.open();
      expect(await resumeOnce(process, 's')).toEqual(DONE);
      expect(systemPrompt(model, 's')).toContain('refunds');
    });

    it('SKIL-04 are there without one that was to be preloaded and is unknown, with a warning', async (world) => {
      const root = agent('root', [], { skills: [TONE], preloadSkills: ['gone', 'tone'] });
      const model = script({ root: [say('done')] });
      const process = world.process({ model, agents: [root] });
      expect(await runOnce(process, root, 's')).toEqual(DONE);
      expect(process.log).toContain('skills.preload_unknown');
      expect(systemPrompt(model, 's')).toContain('<skill name="tone" loaded="true">');
      expect(systemPrompt(model, 's')).toContain('Be kind.');
      expect(systemPrompt(model, 's')).not.toContain('gone');
    });

    it('are worth a warning when the list or what is preloaded is large', async (world) => {
      const many = Array.from({ length: 30 }, (_, at) => ({
        ...TONE,
        name: `skill-${at}`,
        description: 'd'.repeat(1_000),
      }));
      const big = { ...TONE, body: 'b'.repeat(60_000) };
      const root = agent('root', [], { skills: [...many, big], preloadSkills: ['tone'] });
      const small = agent('small', [], { skills: [TONE, REFUNDS], preloadSkills: ['tone'] });
      const model = script({ root: [say('done')], small: [say('done')] });
      const process = world.process({ model, agents: [root, small] });
      expect(await runOnce(process, small, 'other')).toEqual(DONE);
      expect(process.log.filter((event) => event.startsWith('skills.'))).toEqual([]);
      expect(await runOnce(process, root, 's')).toEqual(DONE);
      expect(process.log).toContain('skills.catalogue_large');
      expect(process.log).toContain('skills.preload_large');
    });

    it('SKIL-03 are there without those that are broken or doubled, with a warning', async (world) => {
      const provider = inCodeSkillProvider([TONE]);
      const skills: SkillProvider = {
        ...provider,
        listSkills: async () => [
          { name: '../out', description: 'd' },
          { name: 'empty', description: '' },
          ...([null, undefined, 7, 'x', [], { name: {}, description: 'd' }] as unknown as [
            typeof TONE,
          ]),
          broken('name'),
          broken('description'),
          broken('disableModelInvocation'),
          TONE,
          { ...TONE, description: 'Another.' },
        ],
      };
      const root = agent('root', [], { skills });
      const model = script({ root: [say('done')] });
      const process = world.process({ model, agents: [root] });
      expect(await runOnce(process, root, 's')).toEqual(DONE);
      const prompt = systemPrompt(model, 's');
      expect(prompt.match(/<skill name=/g)).toHaveLength(1);
      expect(prompt).toContain('How to speak.');
      expect(process.log).toContain('skills.skill_skipped');
      expect(process.log).toContain('skills.skill_twice');
    });
  });
}
