// If this fails: a model, or whoever can write to a skill, reads files of the machine that are no part of a skill.
import { spawn } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fileSystemSkillProvider } from '../src/index.ts';
import { keepingLogger, openFolder, skillText, type Folder } from './folder.ts';

const SECRET = 'secret of the machine';
/** Enough for a check before opening to be passed by, several times. */
const READS = 4_000;
const SWAPS = 2_000;
/** Other systems do not say where an open file is: there the check is close behind, but not exact. */
const onLinux = it.runIf(process.platform === 'linux');

/** A root with a skill, and secrets all around it. */
function openRoot(): Folder & { readonly root: string } {
  const folder = openFolder();
  folder.write('secret.txt', SECRET);
  folder.write('skills-private/secret.txt', SECRET);
  folder.write('skills-private/SKILL.md', skillText('private', SECRET, SECRET));
  folder.write('skills/secret.txt', SECRET);
  folder.write('skills/mail/SKILL.md', skillText('mail'));
  folder.write('skills/mail/a.txt', 'a');
  folder.write('skills/mail/.env', SECRET);
  folder.write('skills/mail/.git/config', SECRET);
  folder.write('skills/mail-private/secret.txt', SECRET);
  return { ...folder, root: join(folder.path, 'skills') };
}

describe('fileSystemSkillProvider reads nothing outside of a skill (SKIL-01)', () => {
  it.each([
    '../secret.txt',
    '../../secret.txt',
    '../../skills-private/secret.txt',
    '../mail-private/secret.txt',
    'x/../../secret.txt',
    '%2e%2e/secret.txt',
    '..%2fsecret.txt',
    '..\\secret.txt',
    'a.txt\0',
    '\0',
    '',
    '.',
    '..',
    '/etc/passwd',
    'C:/secret.txt',
    'file:///etc/passwd',
    '.env',
    '.git/config',
    './.git/config',
    'SKILL.md',
  ])('by the path %j', async (path) => {
    const { root } = openRoot();
    const provider = fileSystemSkillProvider({ roots: [root] });
    expect(await provider.readResource('mail', path)).toBeNull();
    expect(
      await provider.readResource('mail', join(root, 'mail', path.replaceAll('\0', ''))),
    ).toBeNull();
  });

  it.each([
    '..',
    '../skills-private',
    '../mail',
    'mail/../mail',
    '/etc',
    '%2e%2e',
    '..\\x',
    'mail\0',
    '',
    '.',
    'mail-',
    'MAIL',
  ])('by the name %j', async (name) => {
    const { root } = openRoot();
    const provider = fileSystemSkillProvider({ roots: [root], lenient: true });
    expect(await provider.getSkill(name)).toBeNull();
    expect(await provider.readResource(name, 'secret.txt')).toBeNull();
    expect(await provider.readResource(name, 'a.txt')).toBeNull();
  });

  it('by a name or path that is no text', async () => {
    const { root } = openRoot();
    const provider = fileSystemSkillProvider({ roots: [root] });
    for (const odd of [undefined, null, 7, {}, ['mail'], { toString: () => 'mail' }]) {
      const text = odd as string;
      expect(await provider.getSkill(text)).toBeNull();
      expect(await provider.readResource(text, 'a.txt')).toBeNull();
      expect(await provider.readResource('mail', text)).toBeNull();
    }
  });

  it('by links: a file, a folder, a skill, a SKILL.md', async () => {
    const { path, root, write } = openRoot();
    symlinkSync(join(path, 'secret.txt'), join(root, 'mail/link.txt'));
    symlinkSync(path, join(root, 'mail/up'));
    symlinkSync('../a.txt', join(dirname(write('skills/mail/sub/x.txt', 'x')), 'inside.txt'));
    symlinkSync('/proc/self/environ', join(root, 'mail/environ'));
    symlinkSync(join(path, 'skills-private'), join(root, 'private'));
    mkdirSync(join(root, 'stolen'));
    symlinkSync(join(path, 'skills-private/SKILL.md'), join(root, 'stolen/SKILL.md'));
    const { logger, logged } = keepingLogger();
    const provider = fileSystemSkillProvider({ roots: [root], lenient: true, logger });
    expect(await provider.listSkills()).toEqual([{ name: 'mail', description: 'What mail does.' }]);
    expect(logged.map(({ event, data }) => [event, data['path'], data['reason']])).toEqual([
      ['skill_files.skipped', join(root, 'private/SKILL.md'), 'it leads out of its root'],
      ['skill_files.skipped', join(root, 'stolen/SKILL.md'), 'it leads out of its root'],
    ]);
    expect((await provider.getSkill('mail'))?.resources.map((file) => file.path)).toEqual([
      'a.txt',
      'sub/inside.txt',
      'sub/x.txt',
    ]);
    for (const file of ['link.txt', 'up/secret.txt', 'up/skills-private/SKILL.md', 'environ']) {
      expect(await provider.readResource('mail', file)).toBeNull();
    }
    expect(await provider.readResource('mail', 'sub/inside.txt')).toBe('a');
    expect(await provider.getSkill('private')).toBeNull();
  });

  it('by links inside of the root that lead to what is hidden there', async () => {
    const { root, write } = openRoot();
    write('skills/.env', SECRET);
    write('skills/.git/config', SECRET);
    for (const [link, to] of [
      ['env.txt', '../.env'],
      ['own.txt', '.env'],
      ['config.txt', '../.git/config'],
      ['settings', '.git'],
    ] as const) {
      symlinkSync(to, join(root, 'mail', link));
    }
    mkdirSync(join(root, 'stolen'));
    symlinkSync('../.git/SKILL.md', join(root, 'stolen/SKILL.md'));
    write('skills/.git/SKILL.md', skillText('stolen', SECRET));
    const { logger, logged } = keepingLogger();
    const provider = fileSystemSkillProvider({ roots: [root], logger });
    expect((await provider.listSkills()).map(({ name }) => name)).toEqual(['mail']);
    expect(logged.map(({ data }) => data['reason'])).toEqual(['it leads to a hidden file']);
    expect((await provider.getSkill('mail'))?.resources.map(({ path }) => path)).toEqual(['a.txt']);
    for (const file of ['env.txt', 'own.txt', 'config.txt', 'settings/config'])
      expect(await provider.readResource('mail', file)).toBeNull();
  });

  it('of a folder that leads into a hidden one: its files are read, what is hidden in it is not', async () => {
    const { root, write } = openRoot();
    write('skills/.store/notes/SKILL.md', skillText('notes'));
    write('skills/.store/notes/a.txt', 'a');
    write('skills/.store/notes/.env', SECRET);
    write('skills/.store/other/b.txt', SECRET);
    symlinkSync('.store/notes', join(root, 'notes'));
    symlinkSync('../other/b.txt', join(root, 'notes/b.txt'));
    symlinkSync('.env', join(root, 'notes/c.txt'));
    const provider = fileSystemSkillProvider({ roots: [root] });
    expect((await provider.getSkill('notes'))?.resources.map(({ path }) => path)).toEqual([
      'a.txt',
    ]);
    expect(await provider.readResource('notes', 'a.txt')).toBe('a');
    for (const file of ['b.txt', 'c.txt', '.env'])
      expect(await provider.readResource('notes', file)).toBeNull();
  });

  onLinux('while another process changes folders into links and back', async () => {
    const { path, root, write } = openRoot();
    write('skills/mail/swap/x.txt', 'inside');
    write('outside/x.txt', SECRET);
    const provider = fileSystemSkillProvider({ roots: [root], stalenessCheckCooldownMs: 1e12 });
    await provider.listSkills();
    const swaps = startSwapping(join(root, 'mail/swap'), join(path, 'outside'));
    const seen: unknown[] = [];
    for (let round = 0; round < READS || swaps.count() < SWAPS; round += 1) {
      seen.push(await provider.readResource('mail', 'swap/x.txt'));
      if (round % 50 > 0) continue;
      const files = (await provider.getSkill('mail'))?.resources ?? [];
      for (const file of files.filter((one) => one.path === 'swap/x.txt')) seen.push(file.size);
    }
    const allowed: unknown[] = [null, 'inside', 'inside'.length];
    expect(seen.filter((one) => !allowed.includes(one))).toEqual([]);
  });

  onLinux('while another process changes a whole skill into a link and back', async () => {
    const { path, root, write } = openRoot();
    write('outside/SKILL.md', skillText('mail', SECRET, SECRET));
    write('outside/a.txt', SECRET);
    const roots = [root];
    const looking = fileSystemSkillProvider({ roots, stalenessCheckCooldownMs: 0 });
    const knowing = fileSystemSkillProvider({ roots, stalenessCheckCooldownMs: 1e12 });
    await knowing.listSkills();
    const swaps = startSwapping(join(root, 'mail'), join(path, 'outside'));
    const seen = new Set<string>();
    for (let round = 0; round < READS || swaps.count() < SWAPS; round += 1) {
      seen.add(JSON.stringify(await knowing.readResource('mail', 'a.txt')));
      if (round % 10 > 0) continue;
      seen.add(JSON.stringify(await looking.listSkills()));
      seen.add(JSON.stringify((await knowing.getSkill('mail'))?.body));
    }
    expect([...seen].filter((text) => text?.includes(SECRET))).toEqual([]);
  });
});

/** A process that swaps `folder` with a link to `outside`, again and again. */
function startSwapping(folder: string, outside: string): { readonly count: () => number } {
  const program = `
    const { renameSync, symlinkSync } = require('node:fs');
    const [folder, outside] = process.argv.slice(1);
    symlinkSync(outside, folder + '.link');
    for (let round = 1; ; round += 1) {
      renameSync(folder, folder + '.kept');
      renameSync(folder + '.link', folder);
      renameSync(folder, folder + '.link');
      renameSync(folder + '.kept', folder);
      if (round % 100 === 0) console.log(round);
    }`;
  const child = spawn(process.execPath, ['--eval', program, folder, outside], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let count = 0;
  createInterface({ input: child.stdout }).on('line', (line) => (count = Number(line)));
  onTestFinished(async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  });
  return { count: () => count };
}
