// If this fails: the command does not say how it ended, or leaves git running when it is stopped.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
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
