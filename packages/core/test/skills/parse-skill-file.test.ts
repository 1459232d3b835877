import { describe, expect, it } from 'vitest';
import { parseSkillFile, type ParseSkillOptions, type ParsedSkill } from '../../src/index.ts';

describe('parseSkillFile', () => {
  it('reads every field and the body', () => {
    const file = [
      '---',
      'name: refunds',
      'description: "How to refund: ask first."',
      'license: MIT',
      'compatibility: any agent',
      'metadata:',
      '  version: 1.10',
      '  author: shop',
      'allowed-tools: Read, Bash(git add:*) Write',
      'disable-model-invocation: true',
      '---',
      '',
      '# Refunds',
      '',
      '---',
      'Ask.',
      '',
    ].join('\n');
    expect(parseSkillFile(file, { directory: 'refunds' })).toEqual({
      ok: true,
      warnings: [],
      skill: {
        name: 'refunds',
        description: 'How to refund: ask first.',
        license: 'MIT',
        compatibility: 'any agent',
        metadata: { version: '1.10', author: 'shop' },
        allowedTools: ['Read', 'Bash(git add:*)', 'Write'],
        disableModelInvocation: true,
        body: '# Refunds\n\n---\nAsk.',
      },
    });
  });

  it.each([
    ['a colon in a plain value', 'Use when: asked', 'Use when: asked'],
    ['a comment', 'short # not shown', 'short'],
    ['a hash inside of a word', 'C# and F#', 'C# and F#'],
    ['double quotes with escapes', String.raw`"a \"b\" \u00e9\n\q"`, 'a "b" é\n\\q'],
    ['single quotes', `'it''s'`, `it's`],
    ['quotes around a part', '"Deep" research', '"Deep" research'],
    ['brackets around a part', '[beta] research', '[beta] research'],
    ['lines below', 'one\n  two\n\n  three', 'one two\nthree'],
    ['quotes over lines', '"one\n  two\\\n  three"', 'one twothree'],
    [
      'a folded block',
      '>\n  one\n  two\n\n  three\n    deep\n  four',
      'one two\nthree\n  deep\nfour',
    ],
    ['a literal block', '|-\n  one\n   two: x\n  # three', 'one\n two: x\n# three'],
    ['a literal block with its depth', '|2\n   one\n  two', 'one\ntwo'],
    ['text on the next line', '\n  below it', 'below it'],
    ['an alias', '*anchor', '*anchor'],
    ['a tag', '!!js/function x', '!!js/function x'],
    ['a quote that is not closed', '"open', '"open'],
    ['a bracket that is not closed', '[open', '[open'],
    ['tags of markup', '<b> & </b>', '<b> & </b>'],
  ])('reads %s', (_what, written, read) => {
    expect(skillOf(`---\nname: x\ndescription: ${written}\n---\nbody`).description).toBe(read);
  });

  it.each([
    ['commas', 'Read, Write', ['Read', 'Write']],
    ['spaces', 'Read Bash(git add:*)', ['Read', 'Bash(git add:*)']],
    ['brackets', '[Read, "Bash(git log:*)", ]', ['Read', 'Bash(git log:*)']],
    ['brackets over lines', '[\n  Read,\n  Write\n]', ['Read', 'Write']],
    ['lines', '\n  - Read\n  - "Write"', ['Read', 'Write']],
    ['lines as deep as the key', '\n- Read\n- Write', ['Read', 'Write']],
  ])('reads allowed-tools by %s', (_what, written, read) => {
    const file = `---\nname: x\nallowed-tools: ${written}\ndescription: d\n---\n`;
    expect(skillOf(file).allowedTools).toEqual(read);
  });

  it('reads a byte order mark, Windows line ends and a body without a last line end', () => {
    const skill = skillOf('\u{feff}---\r\nname: x\r\ndescription: d\r\n---\r\none\r\ntwo');
    expect(skill).toEqual({ name: 'x', description: 'd', body: 'one\ntwo' });
  });

  it('reads maps in lists and lists in maps, and keeps text of metadata only', () => {
    const file =
      '---\nname: x\ndescription: d\nhooks:\n  - on: stop\n    run: [a, {b: c}]\nmetadata: {a: b, c: [d], __proto__: e}\n---\n';
    const result = parseSkillFile(file);
    expect(result).toMatchObject({ ok: true, warnings: [expect.stringContaining('`metadata`')] });
    const { metadata } = skillOf(file);
    expect(Object.entries(metadata ?? {})).toEqual([
      ['a', 'b'],
      ['__proto__', 'e'],
    ]);
  });

  it.each([
    ['nothing', '', 'no frontmatter'],
    ['no frontmatter', '# Title\n', 'no frontmatter'],
    ['frontmatter that is not closed', '---\nname: x\n', 'not closed'],
    ['no name', '---\ndescription: d\n---\n', 'no `name`'],
    ['a name with capitals', '---\nname: My Skill\ndescription: d\n---\n', 'a-z, 0-9'],
    ['a name that leads out', '---\nname: ../x\ndescription: d\n---\n', 'a-z, 0-9'],
    ['two hyphens in a name', '---\nname: a--b\ndescription: d\n---\n', 'a-z, 0-9'],
    ['a name of 65', `---\nname: ${'a'.repeat(65)}\ndescription: d\n---\n`, 'a-z, 0-9'],
    ['no description', '---\nname: x\n---\n', 'no `description`'],
    ['an empty description', '---\nname: x\ndescription: ~\n---\n', 'no `description`'],
    ['a list', '---\n- a\n---\n', 'no list of keys'],
    ['a line that is no key', '---\nname: x\n<<<<<<< ours\n---\n', 'cannot read the line'],
    [
      'another folder',
      '---\nname: x\ndescription: d\n---\n',
      'not that of its folder',
      { directory: 'y' },
    ],
  ] as [string, string, string, ParseSkillOptions?][])(
    'refuses %s',
    (_what, file, reason, options = {}) => {
      const result = parseSkillFile(file, options);
      expect(result).toEqual({ ok: false, reason: expect.stringContaining(reason) });
    },
  );

  it('takes the name of the folder, with a warning, if it is told to be lenient', () => {
    const lenient = { directory: 'my-skill', lenient: true };
    const named = (name: string) => parseSkillFile(`---\n${name}description: d\n---\n`, lenient);
    expect(named('')).toMatchObject({ ok: true, skill: { name: 'my-skill' } });
    expect(named('name: My Skill\n')).toMatchObject({ ok: true, skill: { name: 'my-skill' } });
    expect(named('name: other\n')).toMatchObject({
      ok: true,
      skill: { name: 'other' },
      warnings: [expect.stringContaining('folder')],
    });
  });

  it('warns of a description that is longer than models are shown', () => {
    const result = parseSkillFile(`---\nname: x\ndescription: ${'d'.repeat(1_025)}\n---\n`);
    expect(result).toMatchObject({ ok: true, warnings: [expect.stringContaining('1024')] });
  });

  it.each([
    ['a file of 50 MB', 'x'.repeat(50_000_000), 'larger than'],
    ['long frontmatter', `---\n${'a: b\n'.repeat(20_000)}---\n`, 'longer than'],
    ['20,000 brackets', `---\nname: ${'['.repeat(20_000)}${']'.repeat(20_000)}\n---\n`, 'deeper'],
    ['20,000 open brackets', `---\nname: ${'['.repeat(20_000)}\n---\n`, 'a-z, 0-9'],
    ['deep maps', `---\n${deepMaps(40)}\n---\n`, 'deeper'],
    ['items in items', `---\na:\n  ${'- '.repeat(9_000)}x\n---\n`, 'no `name`'],
    ['aliases of aliases', `---\n${aliasBomb()}\n---\n`, 'no `name`'],
    ['quotes without end', `---\nname: ${`"a\\`.repeat(10_000)}\n---\n`, 'a-z, 0-9'],
    ['keys without end', `---\n${'a:b'.repeat(20_000)}\n---\n`, 'no list of keys'],
  ])('SKIL-03: answers %s', (_what, file, reason) => {
    expect(parseSkillFile(file)).toEqual({ ok: false, reason: expect.stringContaining(reason) });
  });

  it('gives a reason for what is no text', () => {
    expect(parseSkillFile(undefined as never)).toEqual({ ok: false, reason: 'it is no text' });
  });
});

function skillOf(file: string): ParsedSkill {
  const result = parseSkillFile(file);
  if (!result.ok) throw new Error(result.reason);
  return result.skill;
}

function deepMaps(depth: number): string {
  return Array.from({ length: depth }, (_, level) => `${'  '.repeat(level)}k:`).join('\n');
}

function aliasBomb(): string {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
  for (let level = 1; level < 9; level += 1) {
    const alias = `*a${level - 1}`;
    lines.push(`a${level}: &a${level} [${Array.from({ length: 9 }, () => alias).join(', ')}]`);
  }
  return lines.join('\n');
}
