// If this fails: an agent misses skills that are there, sees ones that are gone, or a bad one takes the others with it.
import { mkdirSync, renameSync, rmSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SkillMetadata } from '@helix-agents/core';
import { describe, expect, it } from 'vitest';
import { fileSystemSkillProvider } from '../src/index.ts';
import { keepingLogger, openFolder, skillText } from './folder.ts';

/** The disk is asked at every call. */
const always = { stalenessCheckCooldownMs: 0 };

const names = (skills: readonly SkillMetadata[]): string[] =>
  skills.map(({ name }) => name).toSorted();

describe('fileSystemSkillProvider', () => {
  it('lists skills, loads one with its resources, and reads a file of it', async () => {
    const { path, write } = openFolder();
    write('pdf/SKILL.md', skillText('pdf', 'Reads PDF files.', '# PDF\n\nUse the script.'));
    write('pdf/scripts/read.py', 'one\ntwo\nthree\n');
    write('pdf/assets/logo.png', new Uint8Array([137, 80, 0, 1]));
    write('pdf/notes.txt', '');
    write('mail/SKILL.md', skillText('mail'));
    write('README.md', 'no skill');
    mkdirSync(join(path, 'empty'));
    const provider = fileSystemSkillProvider({ roots: [path] });
    expect((await provider.listSkills()).toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
      { name: 'mail', description: 'What mail does.' },
      { name: 'pdf', description: 'Reads PDF files.' },
    ]);
    expect(await provider.getSkill('pdf')).toEqual({
      name: 'pdf',
      description: 'Reads PDF files.',
      body: '# PDF\n\nUse the script.',
      resources: [
        { path: 'assets/logo.png', size: 4, binary: true },
        { path: 'notes.txt', size: 0, binary: false },
        { path: 'scripts/read.py', size: 14, binary: false },
      ],
    });
    expect(await provider.readResource('pdf', 'scripts/read.py')).toBe('one\ntwo\nthree\n');
    expect(
      await provider.readResource('pdf', './scripts//read.py', { startLine: 2, endLine: 2 }),
    ).toBe('two');
    expect(await provider.readResource('pdf', 'notes.txt')).toBe('');
    expect(await provider.readResource('pdf', 'assets/logo.png')).toBeNull();
    expect(await provider.readResource('pdf', 'absent.txt')).toBeNull();
    expect(await provider.readResource('pdf', 'scripts')).toBeNull();
    expect(await provider.getSkill('absent')).toBeNull();
    expect(await provider.readResource('absent', 'x')).toBeNull();
  });

  it('takes roots as URLs, and as links', async () => {
    const { path, write } = openFolder();
    write('real/mail/SKILL.md', skillText('mail'));
    symlinkSync(join(path, 'real'), join(path, 'link'));
    const url = pathToFileURL(join(path, 'real'));
    for (const root of [url, url.href, join(path, 'link')]) {
      const provider = fileSystemSkillProvider({ roots: [root] });
      expect((await provider.getSkill('mail'))?.body).toBe('# mail');
    }
  });

  it('prefers the skill of a later root', async () => {
    const { path, write } = openFolder();
    write('shared/mail/SKILL.md', skillText('mail', 'Shared.', 'shared'));
    write('shared/mail/only-shared.md', 'x');
    write('shared/pdf/SKILL.md', skillText('pdf'));
    write('own/mail/SKILL.md', skillText('mail', 'Own.', 'own'));
    const { logger, logged } = keepingLogger();
    const roots = [join(path, 'shared'), join(path, 'own')];
    const provider = fileSystemSkillProvider({ roots, logger, ...always });
    expect(names(await provider.listSkills())).toEqual(['mail', 'pdf']);
    expect((await provider.getSkill('mail'))?.body).toBe('own');
    expect(await provider.readResource('mail', 'only-shared.md')).toBeNull();
    expect(logged).toEqual([
      {
        event: 'skill_files.replaced',
        data: { path: join(path, 'shared/mail'), by: join(path, 'own/mail') },
      },
    ]);
  });

  it('takes a root that is listed twice once', async () => {
    const { path, write } = openFolder();
    write('mail/SKILL.md', skillText('mail'));
    const { logger, logged } = keepingLogger();
    const provider = fileSystemSkillProvider({ roots: [path, path], logger });
    expect(names(await provider.listSkills())).toEqual(['mail']);
    expect(logged).toEqual([]);
  });

  describe('notices', () => {
    it('a skill that is added, edited in place, renamed or removed', async () => {
      const { path, write } = openFolder();
      const file = write('mail/SKILL.md', skillText('mail', 'One.'));
      const provider = fileSystemSkillProvider({ roots: [path], ...always });
      expect(await provider.listSkills()).toEqual([{ name: 'mail', description: 'One.' }]);
      write('mail/SKILL.md', skillText('mail', 'Another.'));
      expect(await provider.listSkills()).toEqual([{ name: 'mail', description: 'Another.' }]);
      write('pdf/SKILL.md', skillText('pdf'));
      expect(names(await provider.listSkills())).toEqual(['mail', 'pdf']);
      rmSync(file);
      expect(names(await provider.listSkills())).toEqual(['pdf']);
      renameSync(join(path, 'pdf'), join(path, 'print'));
      write('print/SKILL.md', skillText('print'));
      expect(names(await provider.listSkills())).toEqual(['print']);
    });

    it('an edit that keeps the size and the time of the file', async () => {
      const { path, write } = openFolder();
      const file = write('mail/SKILL.md', skillText('mail', 'One.'));
      const { atime, mtime } = statSync(file);
      utimesSync(file, atime, mtime);
      const provider = fileSystemSkillProvider({ roots: [path], ...always });
      expect(await provider.listSkills()).toEqual([{ name: 'mail', description: 'One.' }]);
      const next = write('next.md', skillText('mail', 'Two.'));
      utimesSync(next, atime, mtime);
      renameSync(next, file);
      expect(await provider.listSkills()).toEqual([{ name: 'mail', description: 'Two.' }]);
    });

    it('nothing before the cooldown is over, but loads the body as it is now', async () => {
      const { path, write } = openFolder();
      write('mail/SKILL.md', skillText('mail', 'One.', 'one'));
      const provider = fileSystemSkillProvider({ roots: [path], stalenessCheckCooldownMs: 1e12 });
      expect(await provider.listSkills()).toEqual([{ name: 'mail', description: 'One.' }]);
      write('mail/SKILL.md', skillText('mail', 'Two.', 'two'));
      expect(await provider.listSkills()).toEqual([{ name: 'mail', description: 'One.' }]);
      expect((await provider.getSkill('mail'))?.body).toBe('two');
      write('mail/SKILL.md', skillText('other'));
      expect(await provider.getSkill('mail')).toBeNull();
    });

    it('a bad skill once per edit, not at every look', async () => {
      const { path, write } = openFolder();
      write('bad/SKILL.md', 'nothing');
      const { logger, logged } = keepingLogger();
      const provider = fileSystemSkillProvider({ roots: [path], logger, ...always });
      await provider.listSkills();
      await provider.listSkills();
      await provider.getSkill('bad');
      expect(logged).toHaveLength(1);
      write('bad/SKILL.md', 'still nothing');
      await provider.listSkills();
      expect(logged).toHaveLength(2);
      write('bad/SKILL.md', skillText('bad'));
      expect(names(await provider.listSkills())).toEqual(['bad']);
    });
  });

  it('answers callers at the same time alike', async () => {
    const { path, write } = openFolder();
    for (let index = 0; index < 100; index += 1)
      write(`s-${index}/SKILL.md`, skillText(`s-${index}`));
    write('bad/SKILL.md', 'nothing');
    const { logger, logged } = keepingLogger();
    const provider = fileSystemSkillProvider({ roots: [path], logger, ...always });
    const lists = await Promise.all(Array.from({ length: 10 }, () => provider.listSkills()));
    expect(new Set(lists.map((list) => JSON.stringify(list))).size).toBe(1);
    expect(lists[0]).toHaveLength(100);
    expect(logged).toHaveLength(1);
  });

  it('fails where a root is missing, and works when it is there', async () => {
    const { path, write } = openFolder();
    const provider = fileSystemSkillProvider({ roots: [join(path, 'skills')], ...always });
    await expect(provider.listSkills()).rejects.toThrow(
      /skills is no folder that can be read\. Create it/,
    );
    await expect(provider.getSkill('mail')).rejects.toMatchObject({ code: 'definition_invalid' });
    write('skills/mail/SKILL.md', skillText('mail'));
    expect(names(await provider.listSkills())).toEqual(['mail']);
    const file = fileSystemSkillProvider({ roots: [join(path, 'skills/mail/SKILL.md')] });
    await expect(file.listSkills()).rejects.toThrow(/is no folder/);
  });

  it.each([
    ['nothing', undefined, /takes options/],
    ['no roots', { roots: [] }, /`roots` must be a list/],
    ['a root that is no path', { roots: [7] }, /must be the path of a folder/],
    ['a root with a NUL', { roots: ['a\0b'] }, /must be the path of a folder/],
    ['a URL that is no file', { roots: [new URL('https://example.com/')] }, /file: URL/],
    ['a text that is another URL', { roots: ['https://example.com/skills'] }, /file: URL/],
    ['a file of another host', { roots: ['file://example.com/%2f'] }, /file: URL/],
    ['an option that does not exist', { roots: ['.'], root: '.' }, /`root` is not an option/],
    [
      'a cooldown that is no number',
      { roots: ['.'], stalenessCheckCooldownMs: Number.NaN },
      /must be a number/,
    ],
    ['a leniency that is no boolean', { roots: ['.'], lenient: 'yes' }, /`lenient` must be/],
  ])('refuses %s', (_, options, message) => {
    expect(() => Reflect.apply(fileSystemSkillProvider, undefined, [options])).toThrow(message);
  });
});
