// If this fails: a skill that is large, or a provider that is wrong, costs more than the call that asked for it, or shows a model what is
// inside of the server.
import { inCodeSkillProvider, type SkillProvider } from '@helix-agents/core';
import { describe, expect } from 'vitest';
import { agent } from '../definitions.ts';
import { call, say, script, use } from '../script.ts';
import { runOnce, type Scenario } from '../world.ts';
import { broken, DONE, REFUNDS, TONE } from './kit.ts';

export function skillsOfOthers(it: Scenario): void {
  describe('a skill of others', () => {
    it('SKIL-03 has a body of any size, which is loaded in parts', async (world) => {
      const lines = Array.from({ length: 40_000 }, (_, at) => `"${at}"\t<skill> \u0001 漢字`);
      const skill = { ...TONE, body: lines.join('\n') };
      const root = agent('root', [], { skills: [skill] });
      const next = (text: string | undefined) =>
        Number(/"?startLine"?:? (\d+)/.exec(text ?? '')?.[1]);
      const model = script({
        root: [
          call(use('load_skill', { name: 'tone' }, 'load')),
          ({ messages }) => {
            const startLine = next(messages.at(-1)?.content as string);
            return call(
              use('read_skill_file', { skill: 'tone', path: 'SKILL.md', startLine }, 'read'),
            );
          },
          say('done'),
        ],
      });
      expect(await runOnce(world.process({ model, agents: [root] }), root, 's')).toEqual(DONE);
      const [loaded = '', read = ''] = await world.results('s');
      const end = next(loaded) - 1;
      expect(end).toBeGreaterThan(1_000);
      expect(loaded).toContain(`${lines[end - 1]?.replace('<', '&lt;')}\n[`);
      expect(loaded).not.toContain(`"${end}"`);
      expect(read.startsWith(`${lines[end]}\n${lines[end + 1]}\n`)).toBe(true);
      expect(await world.chunksOf('s', 'custom')).toHaveLength(1);
    });

    it('SKIL-03 is not there where its provider answers with something else, and the log says so', async (world) => {
      const odd: Record<string, unknown> = { a: 5, b: {}, c: { body: 7 }, d: undefined };
      const skills = {
        ...inCodeSkillProvider([REFUNDS]),
        getSkill: async (name: string) =>
          name === 'e' ? { body: 'B', resources: ODD_FILES } : odd[name],
        readResource: async () => 7,
      } as unknown as SkillProvider;
      const names = ['a', 'b', 'c', 'd', 'e'];
      const root = agent('root', [], { skills });
      const model = script({
        root: [
          call(
            ...names.map((name) => use('load_skill', { name }, name)),
            use('read_skill_file', { skill: 'e', path: 'x.md' }, 'read'),
          ),
          say('done'),
        ],
      });
      const process = world.process({ model, agents: [root] });
      expect(await runOnce(process, root, 's')).toEqual(DONE);
      const results = await world.results('s');
      for (const result of results.slice(0, 4))
        expect(result).toMatch(/^Error: There is no skill "/);
      expect(results[4]).toBe('<skill name="e">\nB\n</skill>');
      expect(results[5]).toContain('has no file "x.md"');
      expect(process.log).toContain('skills.skill_skipped');
      expect(process.log).toContain('skills.files_skipped');
    });

    it('SKIL-04 says nothing of its provider to the model when that throws; the log does', async (world) => {
      const provider = inCodeSkillProvider([REFUNDS, TONE]);
      const fail = () => Promise.reject(new TypeError('EACCES /secret/path'));
      const skills: SkillProvider = {
        ...provider,
        getSkill: (name) => (name === 'tone' ? fail() : provider.getSkill(name)),
        readResource: fail,
      };
      const root = agent('root', [], { skills });
      const model = script({
        root: [
          call(
            use('load_skill', { name: 'tone' }, 'load'),
            use('read_skill_file', { skill: 'refunds', path: 'a.md' }, 'read'),
          ),
          say('done'),
        ],
      });
      const process = world.process({ model, agents: [root] });
      expect(await runOnce(process, root, 's')).toEqual(DONE);
      expect(await world.results('s')).toEqual([
        'Error: The skill "tone" cannot be read now. Try again later, or go on without it.',
        'Error: The file "a.md" cannot be read now. Try again later, or go on without it.',
      ]);
      expect(process.log).toContain('skills.provider_failed');
    });
  });
}

const ODD_FILES: readonly unknown[] = [
  null,
  { path: '../x' },
  7,
  { path: 'x', size: Infinity, binary: false },
  { path: 'x', size: 0.5, binary: false },
  { path: 'x', size: 1 },
  broken('path'),
];
