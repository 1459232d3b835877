// If this fails: the command does not say how it ended, or leaves git running when it is stopped.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, utimesSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { openProject } from './project.ts';
import { GIT_ENV, openFolder, openRepository, skillText } from './repository.ts';
import { runHelixSkills } from '../src/index.ts';
import { serveGit, startServer } from './server.ts';

const BIN = join(import.meta.dirname, '../bin/helix-skills.js');

function start(
  cwd: string,
  env: NodeJS.ProcessEnv,
  ...args: readonly string[]
): ReturnType<typeof spawn> {
  const options = ['--conditions=@helix-agents/source', '--no-warnings', BIN, ...args];
  return spawn(process.execPath, options, {
    cwd,
    env: { ...GIT_ENV, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

it('helix-skills ends with 0, 1 or 2', async () => {
  const repository = openRepository();
  repository.commit({ 'skills/a/SKILL.md': skillText('a') });
  const project = openProject({ skills: [{ source: 'git', url: repository.url }] });
  for (const [args, expected] of [
    [['sync', '--check'], 1],
    [['sync'], 0],
    [['sync', '--check'], 0],
    [['bake'], 2],
    [[], 2],
  ] as const) {
    const [code] = await once(start(project.path, {}, ...args), 'exit');
    expect(code).toBe(expected);
  }
  expect(project.skills().map(({ name }) => name)).toEqual(['a']);
});

it('helix-skills says how far a slow fetch is', async () => {
  const repository = openRepository();
  repository.commit({ 'skills/a/SKILL.md': skillText('a') });
  let told = '';
  let release = (): void => {};
  const isTold = new Promise<void>((resolve) => (release = resolve));
  let connections = 0;
  const server = await startServer((request, response) => {
    const answer = (): void => serveGit(dirname(repository.path), request, response);
    if (request.method === 'GET') connections += 1;
    // The first connection asks for the ref, the second one fetches: it waits until the wait was told.
    if (connections === 2) void isTold.then(answer);
    else answer();
  });
  const url = `${server}/${basename(repository.path)}/.git`;
  const project = openProject({ skills: [{ source: 'git', url }] });
  const code = await runHelixSkills(['sync'], {
    cwd: project.path,
    env: GIT_ENV,
    signal: new AbortController().signal,
    stdout: () => {},
    stderr: (text) => {
      told += text;
      release();
    },
    progressEveryMs: 1,
  });
  expect(code).toBe(0);
  expect(told).toMatch(/^fetching http:\/\/127\.0\.0\.1:\d+\/\S+: \d+\.\d MB in \d+ s\n/);
});

it('helix-skills that is stopped ends git, removes its files and writes nothing', async () => {
  let isAsked = (): void => {};
  const asked = new Promise<void>((resolve) => (isAsked = resolve));
  const closed: Promise<unknown>[] = [];
  const url = await startServer((request) => {
    closed.push(once(request.socket, 'close'));
    isAsked();
  });
  const project = openProject({ skills: [{ source: 'git', url }] });
  const before = project.files();
  const temporary = openFolder();
  const child = start(project.path, { TMPDIR: temporary }, 'sync');
  await asked;
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  expect(code).toBe(1);
  // The connection is git's: it ends with it.
  await Promise.all(closed);
  expect(project.files()).toEqual(before);
  expect(readdirSync(temporary)).toEqual([]);
});

it('helix-skills removes what one that was killed has left, and nothing of others', async () => {
  let isAsked = (): void => {};
  const asked = new Promise<void>((resolve) => (isAsked = resolve));
  const url = await startServer(() => isAsked());
  const temporary = openFolder();
  const killed = start(
    openProject({ skills: [{ source: 'git', url }] }).path,
    { TMPDIR: temporary },
    'sync',
  );
  await asked;
  killed.kill('SIGKILL');
  await once(killed, 'exit');
  expect(readdirSync(temporary)).toHaveLength(1);
  const [left = ''] = readdirSync(temporary);
  const others = [
    left.replace(/-\d+-/, `-${process.pid}-`),
    'helix-skills-elsewhere-1-abcdef',
    'helix-skills-notes',
  ];
  for (const name of [...others, 'helix-skills-elsewhere-1-old']) mkdirSync(join(temporary, name));
  utimesSync(join(temporary, 'helix-skills-elsewhere-1-old'), 0, 0);
  const repository = openRepository();
  repository.commit({ 'skills/a/SKILL.md': skillText('a') });
  const project = openProject({ skills: [{ source: 'git', url: repository.url }] });
  const [code] = await once(start(project.path, { TMPDIR: temporary }, 'sync'), 'exit');
  expect(code).toBe(0);
  expect(readdirSync(temporary).toSorted()).toEqual(others.toSorted());
});

it('helix-skills goes on when nobody reads what it says', async () => {
  const repository = openRepository();
  repository.commit({ 'skills/a/SKILL.md': skillText('a', 'A.', 'one') });
  const project = openProject({ skills: [{ source: 'git', url: repository.url }] });
  await project.sync();
  repository.commit({ 'skills/a/SKILL.md': skillText('a', 'A.', 'two\n'.repeat(1_000)) });
  const child = start(project.path, {}, 'sync');
  child.stdout?.destroy();
  let complaint = '';
  child.stderr?.on('data', (piece) => (complaint += String(piece)));
  const [code] = await once(child, 'close');
  expect([code, complaint]).toEqual([0, '']);
  expect(project.read('src/skills.generated.ts')).toContain('two');
});

it.each([
  ['--out', 'folder.ts', 'it is a folder'],
  ['--lock', 'folder.ts', 'it is a folder'],
  ['--out', 'helix.skills.json/x.ts', 'a part of its path is no folder'],
])('helix-skills %s %s is refused: %s', async (option, file, why) => {
  const repository = openRepository();
  repository.commit({ 'skills/a/SKILL.md': skillText('a') });
  const project = openProject({ skills: [{ source: 'git', url: repository.url }] });
  mkdirSync(join(project.path, 'folder.ts'));
  const before = project.files();
  const { code, stderr } = await project.sync(option, file);
  expect([code, stderr]).toEqual([
    1,
    `helix-skills: ${join(project.path, file)} cannot be used: ${why}. Name another file.\n`,
  ]);
  expect(project.files()).toEqual(before);
});

it('helix-skills does not replace a file that it did not write', async () => {
  const repository = openRepository();
  repository.commit({ 'skills/a/SKILL.md': skillText('a') });
  const project = openProject({ skills: [{ source: 'git', url: repository.url }] });
  project.write('main.ts', 'export const answer = 42;\n');
  project.write('package.json', '{"name":"mine"}');
  project.write('empty.ts', '');
  const before = project.files();
  const out = await project.sync('--out', 'main.ts');
  expect([out.code, out.stderr]).toMatchObject([1, expect.stringContaining('is not replaced')]);
  const lock = await project.sync('--lock', 'package.json');
  expect([lock.code, lock.stderr]).toMatchObject([1, expect.stringContaining('package.json has')]);
  expect(project.files()).toEqual(before);
  expect((await project.sync('--out', 'empty.ts')).code).toBe(0);
  expect((await project.sync('--out', 'empty.ts')).code).toBe(0);
});
