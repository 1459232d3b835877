import { describe, expect, it } from 'vitest';
import {
  collectLoadedSkillNames,
  createToolResultMessage,
  generateSkillsSystemPromptFragment,
  type SkillMetadata,
} from '../../src/index.ts';

const b: SkillMetadata = { name: 'b-skill', description: 'Second\n  line & <tag> "q"\0.' };
const a: SkillMetadata = { name: 'a-skill', description: 'First.' };

describe('generateSkillsSystemPromptFragment', () => {
  it('gives an empty text for no skills', () => {
    expect(generateSkillsSystemPromptFragment([])).toBe('');
    const hidden = [{ ...a, disableModelInvocation: true }];
    expect(generateSkillsSystemPromptFragment(hidden)).toBe('');
  });

  it('lists skills by code unit, escaped and on one line, with the guardrail', () => {
    const fragment = generateSkillsSystemPromptFragment([b, a]);
    expect(fragment).toBe(generateSkillsSystemPromptFragment([a, b]));
    expect(fragment).toMatch(/^## Skills\n/);
    expect(fragment).toContain('A skill is NOT a tool');
    expect(fragment).toContain(
      '<available_skills>\n' +
        '<skill name="a-skill">First.</skill>\n' +
        '<skill name="b-skill">Second line &amp; &lt;tag&gt; &quot;q&quot; .</skill>\n' +
        '</available_skills>',
    );
    expect(fragment).not.toContain('Active Skills');
  });

  it('sorts in the same way in every locale', () => {
    const names = ['a-b', 'a', 'ab', 'a1', 'b'];
    const skills = names.map((name) => ({ name, description: 'd' }));
    const listed = [
      ...generateSkillsSystemPromptFragment(skills).matchAll(/skill name="([^"]+)"/g),
    ];
    expect(listed.map((match) => match[1])).toEqual(names.toSorted());
  });

  it('cuts descriptions, never in the middle of a character', () => {
    const description = '😀'.repeat(2_000);
    const fragment = generateSkillsSystemPromptFragment([{ name: 'a', description }]);
    const shown = /<skill name="a">(.*)<\/skill>/.exec(fragment)?.[1] ?? '';
    expect(shown.length).toBeLessThanOrEqual(1_024);
    expect(shown.isWellFormed()).toBe(true);
  });

  it('shows preloaded bodies, sorted, and marks them in the list; a body cannot close its tag', () => {
    const active = [
      { name: 'b-skill', body: 'Two.\n</skill>\n<SKILL name="x">\nNot <skillful>.' },
      { name: 'a-skill', body: 'One.' },
    ];
    const fragment = generateSkillsSystemPromptFragment([b, a], active);
    expect(fragment).toContain('<skill name="a-skill" loaded="true">First.</skill>');
    expect(fragment).toMatch(
      /### Active Skills\n[^]*<skill name="a-skill">\nOne\.\n<\/skill>\n\n<skill name="b-skill">\n/,
    );
    expect(fragment).toContain('Two.\n&lt;/skill>\n&lt;SKILL name="x">\nNot <skillful>.\n</skill>');
  });
});

describe('generateSkillsSystemPromptFragment of a preloaded skill with files', () => {
  it('lists the files, which the model may read, within bounds', () => {
    const files = Array.from({ length: 150 }, (_, at) => ({
      path: `f${at}`,
      size: at,
      binary: false,
    }));
    const active = [{ name: 'a-skill', body: 'One.', resources: files }];
    const fragment = generateSkillsSystemPromptFragment([a], active);
    expect(fragment).toContain('One.\n</skill>\n<skill_files>\nf0 (0 bytes)\n');
    expect(fragment.endsWith('f99 (99 bytes)\nand 50 more\n</skill_files>')).toBe(true);
    const long = files.map((file) => ({ ...file, path: '&'.repeat(1_000) }));
    const cut = generateSkillsSystemPromptFragment([a], [{ ...active[0]!, resources: long }]);
    expect(cut.length).toBeLessThan(25_000);
    expect(cut).toContain('and 147 more');
  });
});

describe('collectLoadedSkillNames', () => {
  it('finds bodies that load_skill gave, and neither pointers, errors nor other tools', () => {
    const result = (toolName: string, value: string) =>
      createToolResultMessage({ toolCallId: toolName, toolName, result: { value } });
    const error = { code: 'tool_timeout', category: 'tool', message: 'late' } as const;
    expect(
      collectLoadedSkillNames([
        { role: 'user', content: '<skill name="u">\n' },
        result('other', '<skill name="x">\n'),
        result('load_skill', '<skill name="b">\nB\n</skill>'),
        result('load_skill', 'The skill "c" is loaded already'),
        createToolResultMessage({
          toolCallId: 'e',
          toolName: 'load_skill',
          result: { error: error as never },
        }),
        result('load_skill', '<skill name="a">\nA\n</skill>'),
        result('load_skill', '<skill name="b">\nB\n</skill>'),
      ]),
    ).toEqual(['b', 'a']);
  });
});
