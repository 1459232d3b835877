// If this fails: a model cannot get at the instructions it was promised, or gets at files outside of its skills.
import {
  collectLoadedSkillNames,
  inCodeSkillProvider,
  type SkillProvider,
} from '@helix-agents/core';
import { describe, expect } from 'vitest';
import { agent, clientTool } from '../definitions.ts';
import { call, say, script, use } from '../script.ts';
import { barrier } from '../waiting.ts';
import { answer, resumeOnce, runOnce, type Scenario, type World } from '../world.ts';
import { DONE, REFUNDS, systemPrompt, TONE } from './kit.ts';

/** What a provider has for an answer. */
const PROVIDER_MS = 5_000;

export function skillsAreLoaded(it: Scenario): void {
  describe('a skill', () => {
    it('is loaded as a result, with its files, and announced', async (world) => {
      const root = agent('root', [], { skills: [REFUNDS, TONE] });
      const model = script({
        root: [call(use('load_skill', { name: 'refunds' }, 'load')), say('done')],
      });
      expect(await runOnce(world.process({ model, agents: [root] }), root, 's')).toEqual(DONE);
      expect(await world.results('s')).toEqual([
        '<skill name="refunds">\nAsk for the order.\n&lt;/skill>\nThen refund.\n</skill>\n' +
          '<skill_files>\nreferences/limits.md (13 bytes)\nlogo.png (3 bytes, binary)\n</skill_files>',
      ]);
      const [event] = await world.chunksOf('s', 'custom');
      expect(event).toMatchObject({ name: 'skill_loaded', data: { name: 'refunds' } });
      expect(collectLoadedSkillNames(await world.messages('s'))).toEqual(['refunds']);
    });

    it('is not given twice while it is in the transcript, in any process, unless asked for', async (world) => {
      const root = agent('root', [clientTool('pick')], { skills: [TONE] });
      const load = (id: string, more: object = {}) =>
        use('load_skill', { name: 'tone', ...more }, id);
      const model = script({
        root: [
          call(load('a')),
          call('pick'),
          call(load('b')),
          call(load('c', { reload: true })),
          say('done'),
        ],
      });
      await runOnce(world.process({ model, agents: [root] }), root, 's');
      const process = world.process({ model, agents: [root] });
      await answer(process, 's', 'pick', 'red');
      expect(await resumeOnce(process, 's')).toEqual(DONE);
      const body = '<skill name="tone">\nBe kind.\n</skill>';
      const [first, , second, third] = await world.results('s');
      expect([first, third]).toEqual([body, body]);
      expect(second).toContain('is loaded already');
    });

    it('SKIL-01 is not found under a name or path that leads out of it, and nothing is read', async (world) => {
      const read: string[] = [];
      const provider = inCodeSkillProvider([REFUNDS]);
      const skills: SkillProvider = {
        ...provider,
        getSkill: (name) => {
          read.push(name);
          return provider.getSkill(name);
        },
        readResource: async (_name, path) => {
          read.push(path);
          return 'leaked';
        },
      };
      const names = ['../refunds', 'refunds/..', '%2e%2e', 'refunds\0', 'refunds2/../refunds', ''];
      const paths = [
        '../secret',
        '/etc/passwd',
        'a/../../secret',
        String.raw`..\secret`,
        '%2e%2e/secret',
        'x\0y',
        '../refunds-other/x',
      ];
      const calls = [
        ...names.map((name, at) => use('load_skill', { name }, `name-${at}`)),
        ...names.map((skill, at) => use('read_skill_file', { skill, path: 'x' }, `skill-${at}`)),
        ...paths.map((path, at) =>
          use('read_skill_file', { skill: 'refunds', path }, `path-${at}`),
        ),
      ];
      const root = agent('root', [], { skills });
      const model = script({ root: [call(...calls), say('done')] });
      expect(await runOnce(world.process({ model, agents: [root] }), root, 's')).toEqual(DONE);
      expect(new Set(await codes(world))).toEqual(new Set(['tool_execution_failed']));
      expect(await world.results('s')).toHaveLength(calls.length);
      expect(new Set(read)).toEqual(new Set(['refunds']));
    });

    it('SKIL-03 has files that are read by lines, within bounds', async (world) => {
      const long = 'line\n'.repeat(100_000);
      const skill = {
        ...REFUNDS,
        resources: {
          ...REFUNDS.resources,
          'long.txt': long,
          'wide.txt': 'x'.repeat(5_000_000),
          'mixed.txt': `one\n${'x'.repeat(60_000)}\nthree\n${'y'.repeat(60_000)}\n`,
          'blank.txt': `\n${'x'.repeat(60_000)}\nthree`,
        },
      };
      const read = (id: string, path: string, more: object = {}) =>
        use('read_skill_file', { skill: 'refunds', path, ...more }, id);
      const root = agent('root', [], { skills: [skill] });
      const limits = 'references/limits.md';
      const model = script({
        root: [
          call(
            read('a', limits, { startLine: 2 }),
            read('b', limits, { startLine: 1, endLine: 2 }),
            read('c', limits, { startLine: 9 }),
            read('d', limits, { startLine: 3, endLine: 1 }),
            read('e', limits, { startLine: 0 }),
            read('f', limits, { endLine: 1.5 }),
            read('g', limits, { startLine: 'NaN' }),
            read('h', 'logo.png'),
            read('i', 'long.txt'),
            read('j', 'wide.txt'),
            read('k', 'mixed.txt'),
            read('l', 'mixed.txt', { startLine: 2 }),
            read('m', 'mixed.txt', { startLine: 3 }),
            read('n', 'mixed.txt', { startLine: 4 }),
            read('o', 'blank.txt'),
          ),
          say('done'),
        ],
      });
      expect(await runOnce(world.process({ model, agents: [root] }), root, 's')).toEqual(DONE);
      const results = await world.results('s');
      expect(results.slice(0, 2)).toEqual(['two\nthree', 'one\ntwo']);
      expect(results[2]).toContain('has 3 lines: there is no line 9.');
      expect(await codes(world)).toEqual([
        'tool_execution_failed',
        'tool_input_invalid',
        'tool_input_invalid',
        'tool_input_invalid',
        'tool_input_invalid',
        'tool_execution_failed',
      ]);
      expect(results[7]).toContain('is binary');
      expect(results[8]).toMatch(/line\n\[\d+ bytes left out; go on with startLine 10001\]$/);
      expect(results[9]?.length).toBeLessThan(60_000);
      const notes = results.slice(9).map((result) => /\[[^[]*\]$/.exec(result)?.[0]);
      const long2 = 'this line is too long to be shown whole';
      expect(notes).toEqual([
        `[4950000 bytes left out; ${long2}; it is the last one]`,
        '[120009 bytes left out; go on with startLine 2]',
        `[70008 bytes left out; ${long2}; go on with startLine 3]`,
        '[60002 bytes left out; go on with startLine 4]',
        `[10001 bytes left out; ${long2}; it is the last one]`,
        `[10007 bytes left out; ${long2}; go on with startLine 3]`,
      ]);
    });

    it('SKIL-04 that cannot be loaded fails its call alone: its provider throws, or hangs', async (world) => {
      const at = barrier();
      const atFile = barrier();
      const skills: SkillProvider = {
        ...inCodeSkillProvider([REFUNDS, TONE]),
        getSkill: async (name) => {
          if (name === 'tone') throw new Error('gone');
          if (name === 'refunds') await at.pass();
          return { ...TONE, resources: [] };
        },
        readResource: () => atFile.pass().then(() => null),
      };
      const load = (name: string) => use('load_skill', { name }, name);
      const read = use('read_skill_file', { skill: 'other', path: 'a.md' }, 'read');
      const root = agent('root', [], { skills });
      const model = script({
        root: [call(load('tone')), call(load('refunds')), call(read), say('done')],
      });
      const process = world.process({ model, agents: [root] });
      const ended = runOnce(process, root, 's');
      for (const place of [at, atFile]) {
        await place.reached;
        await world.clock.skip(PROVIDER_MS);
      }
      expect(await ended).toEqual(DONE);
      expect(new Set(await codes(world))).toEqual(new Set(['tool_execution_failed']));
      const late = 'cannot be read now. Try again later, or go on without it.';
      expect(await world.results('s')).toEqual([
        `Error: The skill "tone" ${late}`,
        `Error: The skill "refunds" ${late}`,
        `Error: The file "a.md" ${late}`,
      ]);
      const logged = process.events.filter(({ name }) => name === 'skills.provider_failed');
      expect(logged.map(({ data }) => Reflect.get(data, 'error') as string)).toEqual([
        'gone',
        `There was no answer within ${PROVIDER_MS} ms.`,
        `There was no answer within ${PROVIDER_MS} ms.`,
      ]);
    });

    it('is announced only when it is loaded', async (world) => {
      const skills: SkillProvider = {
        ...inCodeSkillProvider([REFUNDS, TONE]),
        getSkill: async (name) => {
          if (name === 'tone') throw new Error('gone');
          return null;
        },
      };
      const load = (name: string) => use('load_skill', { name }, name);
      const root = agent('root', [], { skills });
      const model = script({
        root: [call(load('tone'), load('refunds'), load('../x')), say('done')],
      });
      expect(await runOnce(world.process({ model, agents: [root] }), root, 's')).toEqual(DONE);
      expect(await codes(world)).toHaveLength(3);
      expect(await world.chunksOf('s', 'custom')).toEqual([]);
    });

    it('that is preloaded lists its files, and they can be read', async (world) => {
      const root = agent('root', [], { skills: [REFUNDS], preloadSkills: ['refunds'] });
      const path = 'references/limits.md';
      const model = script({
        root: [
          call(
            use('read_skill_file', { skill: 'refunds', path }, 'read'),
            use('load_skill', { name: 'refunds' }, 'load'),
          ),
          say('done'),
        ],
      });
      expect(await runOnce(world.process({ model, agents: [root] }), root, 's')).toEqual(DONE);
      expect(systemPrompt(model, 's')).toContain(
        'Then refund.\n</skill>\n<skill_files>\nreferences/limits.md (13 bytes)\n',
      );
      // Loaded all the same, it is given as it is now.
      expect(await world.results('s')).toEqual([
        'one\ntwo\nthree',
        expect.stringContaining('<skill name="refunds">\nAsk for the order.'),
      ]);
    });

    it('is hidden from the model if it says so, and can be preloaded', async (world) => {
      const hidden = { ...TONE, disableModelInvocation: true };
      const root = agent('root', [], { skills: [hidden, REFUNDS] });
      const model = script({
        root: [call(use('load_skill', { name: 'tone' }, 'load')), say('done')],
      });
      expect(await runOnce(world.process({ model, agents: [root] }), root, 's')).toEqual(DONE);
      expect(JSON.stringify(model.calls[0]?.messages)).not.toContain('tone');
      expect(await codes(world)).toEqual(['tool_execution_failed']);
    });
  });
}

/** Codes of failed calls, in call order. */
async function codes(world: World): Promise<readonly string[]> {
  return (await world.messages('s')).flatMap((message) =>
    message.role === 'tool' && message.errorDetail ? [message.errorDetail.code] : [],
  );
}
