// If this fails: a file as they are found in public repositories breaks the skills beside it, or is taken for what it is not.
import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileSystemSkillProvider } from '../src/index.ts';
import { keepingLogger, openFolder, skillText, type Folder } from './folder.ts';

interface Odd {
  readonly what: string;
  readonly make: (folder: Folder) => void;
  /** Description it is listed with; null where it is skipped. */
  readonly strict: string | null;
  readonly lenient?: string | null;
  readonly name?: string;
  readonly reason?: RegExp;
}

const text = (content: string | Uint8Array) => (folder: Folder) =>
  void folder.write('odd/SKILL.md', content);

const ODD: readonly Odd[] = [
  {
    what: 'a colon in an unquoted value',
    make: text('---\nname: odd\ndescription: Use when: asked\n---\nx'),
    strict: 'Use when: asked',
  },
  {
    what: 'an argument hint that is no YAML',
    make: text('---\nname: odd\nargument-hint: [a] [b]\ndescription: Odd.\n---\nx'),
    strict: 'Odd.',
  },
  {
    what: 'a mark of byte order and CRLF',
    make: text('\ufeff---\r\nname: odd\r\ndescription: Odd.\r\n---\r\nx\r\n'),
    strict: 'Odd.',
  },
  {
    what: 'a description of several lines',
    make: text('---\nname: odd\ndescription: >\n  One\n  two\n---\nx'),
    strict: 'One two',
  },
  {
    what: 'metadata that is nested',
    make: text('---\nname: odd\ndescription: Odd.\nmetadata:\n  a:\n    b: c\n---\nx'),
    strict: 'Odd.',
  },
  { what: 'no body', make: text('---\nname: odd\ndescription: Odd.\n---'), strict: 'Odd.' },
  {
    what: 'lines of dashes in the body',
    make: text('---\nname: odd\ndescription: Odd.\n---\nx\n---\ny\n---\n'),
    strict: 'Odd.',
  },
  { what: 'no frontmatter', make: text('# Odd'), strict: null, reason: /no frontmatter/ },
  {
    what: 'frontmatter that is not closed',
    make: text('---\nname: odd\n'),
    strict: null,
    reason: /not closed/,
  },
  { what: 'an empty file', make: text(''), strict: null, reason: /no frontmatter/ },
  {
    what: 'no description',
    make: text('---\nname: odd\n---\nx'),
    strict: null,
    reason: /no `description`/,
  },
  {
    what: 'a name with capitals',
    make: text(skillText('Odd Skill')),
    strict: null,
    lenient: 'What Odd Skill does.',
    reason: /is not 1 to 64/,
  },
  {
    what: 'no name',
    make: text('---\ndescription: Odd.\n---\nx'),
    strict: null,
    lenient: 'Odd.',
    reason: /no `name`/,
  },
  {
    what: 'a name that is not the folder',
    make: text(skillText('other')),
    strict: null,
    lenient: 'What other does.',
    name: 'other',
    reason: /is not that of its folder/,
  },
  {
    what: 'a name that leads out',
    make: text(skillText('../odd')),
    strict: null,
    lenient: 'What ../odd does.',
    reason: /is not 1 to 64/,
  },
  {
    what: 'neither a proper name nor a folder with one',
    make: (folder) => void folder.write('Upper/SKILL.md', skillText('Upper')),
    strict: null,
    reason: /is not 1 to 64/,
  },
  {
    what: 'bytes that are no UTF-8',
    make: text(new Uint8Array([0x2d, 0x2d, 0x2d, 0x0a, 0xff, 0xfe])),
    strict: null,
    reason: /no UTF-8/,
  },
  { what: 'a NUL', make: text(skillText('odd', 'a\0b')), strict: null, reason: /no UTF-8/ },
  {
    what: 'UTF-16',
    make: text(Buffer.from(skillText('odd'), 'utf16le')),
    strict: null,
    reason: /no UTF-8/,
  },
  {
    what: 'a bomb of aliases',
    make: text(
      `---\na: &a [x,x]\n${Array.from({ length: 60 }, (_, i) => `b${i}: &b${i} [*a,*a]`).join('\n')}\nname: odd\ndescription: Odd.\n---\nx`,
    ),
    strict: 'Odd.',
  },
  {
    what: '20,000 brackets',
    make: text(`---\nname: odd\nx: ${'['.repeat(20_000)}\ndescription: Odd.\n---\nx`),
    strict: 'Odd.',
  },
  {
    what: 'a file of 50 MB',
    make: (folder) => truncateSync(folder.write('odd/SKILL.md', skillText('odd')), 50_000_000),
    strict: null,
    reason: /larger than/,
  },
  {
    what: 'a file in another case',
    make: (folder) => void folder.write('odd/skill.md', skillText('odd')),
    strict: null,
    reason: /exactly this name/,
  },
  {
    what: 'a folder called SKILL.md',
    make: ({ path }) => void mkdirSync(join(path, 'odd/SKILL.md'), { recursive: true }),
    strict: null,
    reason: /no regular file/,
  },
  {
    what: 'a pipe that nobody writes to',
    make: ({ path }) => {
      mkdirSync(join(path, 'odd'));
      execFileSync('mkfifo', [join(path, 'odd/SKILL.md')]);
    },
    strict: null,
    reason: /no regular file/,
  },
  {
    what: 'a device',
    make: ({ path }) => {
      mkdirSync(join(path, 'odd'));
      symlinkSync('/dev/zero', join(path, 'odd/SKILL.md'));
    },
    strict: null,
    reason: /no regular file/,
  },
  {
    what: 'a link to itself',
    make: ({ path }) => {
      mkdirSync(join(path, 'odd'));
      symlinkSync('SKILL.md', join(path, 'odd/SKILL.md'));
    },
    strict: null,
    reason: /cannot be read/,
  },
  {
    what: 'a folder that links to another one of the root',
    make: (folder) => {
      folder.write('.shared/odd/SKILL.md', skillText('odd'));
      symlinkSync('.shared/odd', join(folder.path, 'odd'));
    },
    strict: 'What odd does.',
  },
  {
    what: 'a hard link, as package managers make them',
    make: (folder) => {
      const stored = folder.write('.store/x', skillText('odd'));
      mkdirSync(join(folder.path, 'odd'));
      linkSync(stored, join(folder.path, 'odd/SKILL.md'));
    },
    strict: 'What odd does.',
  },
  {
    what: 'a hidden folder',
    make: (folder) => void folder.write('.odd/SKILL.md', skillText('odd')),
    strict: null,
  },
];

describe('fileSystemSkillProvider with odd skills (SKIL-03)', () => {
  it.each(ODD)('$what', async ({ make, strict, lenient = strict, name = 'odd', reason }) => {
    const folder = openFolder();
    make(folder);
    folder.write('good/SKILL.md', skillText('good'));
    for (const isLenient of [false, true]) {
      const expected = isLenient ? lenient : strict;
      const { logger, logged } = keepingLogger();
      const provider = fileSystemSkillProvider({
        roots: [folder.path],
        lenient: isLenient,
        logger,
      });
      const listed = await provider.listSkills();
      const described = Object.fromEntries(listed.map((skill) => [skill.name, skill.description]));
      const good = { good: 'What good does.' };
      expect(described).toEqual(expected === null ? good : { ...good, [name]: expected });
      expect((await provider.getSkill(name)) === null).toBe(expected === null);
      const skipped = logged.filter(({ event }) => event === 'skill_files.skipped');
      if (expected === null && reason)
        expect(skipped[0]?.data).toMatchObject({ reason: expect.stringMatching(reason) });
      else expect(skipped).toEqual([]);
      if (isLenient && strict === null && lenient !== null) {
        expect(logged.map(({ event }) => event)).toEqual(['skill_files.warning']);
      }
    }
  });

  it('two folders with one name: the first stays', async () => {
    const { path, write } = openFolder();
    write('a/SKILL.md', skillText('same', 'First.'));
    write('b/SKILL.md', skillText('same', 'Second.'));
    const { logger, logged } = keepingLogger();
    const provider = fileSystemSkillProvider({ roots: [path], lenient: true, logger });
    expect(await provider.listSkills()).toEqual([{ name: 'same', description: 'First.' }]);
    const skipped = logged.filter(({ event }) => event === 'skill_files.skipped');
    expect(skipped.map(({ data }) => data['path'])).toEqual([join(path, 'b/SKILL.md')]);
  });

  it('lists at most 1,000 files of a skill, and none below eight folders', async () => {
    const { path, write } = openFolder();
    write('many/SKILL.md', skillText('many'));
    for (let index = 0; index < 1_100; index += 1) write(`many/files/${index}.txt`, 'x');
    write('deep/SKILL.md', skillText('deep'));
    write('deep/1/2/3/4/5/6/7/in.txt', 'x');
    write('deep/1/2/3/4/5/6/7/8/out.txt', 'x');
    const provider = fileSystemSkillProvider({ roots: [path] });
    expect((await provider.getSkill('many'))?.resources).toHaveLength(1_000);
    expect((await provider.getSkill('deep'))?.resources.map((file) => file.path)).toEqual([
      '1/2/3/4/5/6/7/in.txt',
    ]);
  });

  it('tells a model that a file is too large', async () => {
    const { path, write } = openFolder();
    write('big/SKILL.md', skillText('big'));
    truncateSync(write('big/log.txt', 'x'), 50_000_000);
    const provider = fileSystemSkillProvider({ roots: [path] });
    await expect(provider.readResource('big', 'log.txt')).rejects.toThrow(
      /"log.txt" is larger than/,
    );
  });

  it.each([
    ['reversed', { startLine: 3, endLine: 1 }, ''],
    ['no number', { startLine: Number.NaN, endLine: Number.NaN }, 'one\ntwo\nthree'],
    ['out of range', { startLine: 9, endLine: 99 }, ''],
    ['below one', { startLine: -5, endLine: 1 }, 'one'],
  ])('reads a range of lines that is %s', async (_, range, expected) => {
    const { path, write } = openFolder();
    write('odd/SKILL.md', skillText('odd'));
    write('odd/x.txt', 'one\ntwo\nthree');
    const provider = fileSystemSkillProvider({ roots: [path] });
    expect(await provider.readResource('odd', 'x.txt', range)).toBe(expected);
  });
});
