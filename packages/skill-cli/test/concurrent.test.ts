// If this fails: of two syncs in one folder the module is of one and the lock of the other, a later state is replaced by an earlier one,
// or what is locked is not what was fetched.
import { basename, dirname } from 'node:path';
import { expect, it } from 'vitest';
import { LOCK, openProject } from './project.ts';
import { openRepository, skillText, type Repository } from './repository.ts';
import { serveGit, startServer } from './server.ts';

/** Serves a repository. The first connection of a sync asks for the ref, the second one fetches: `beforeFetch` is waited for then. */
async function serve(repository: Repository, beforeFetch: () => Promise<void>): Promise<string> {
  let connections = 0;
  const server = await startServer((request, response) => {
    if (request.method === 'GET') connections += 1;
    const held = request.method === 'GET' && connections === 2 ? beforeFetch() : undefined;
    const answer = (): void => serveGit(dirname(repository.path), request, response);
    if (held) void held.then(answer);
    else answer();
  });
  return `${server}/${basename(repository.path)}/.git`;
}

const NOT_MINE = {
  code: 1,
  stdout: '',
  stderr: expect.stringMatching(/was changed while this sync ran, and nothing was written/),
};

it('helix-skills sync may run several times at once: all end well, with one result', async () => {
  const repository = openRepository();
  repository.commit({ 'skills/a/SKILL.md': skillText('a') });
  const manifest = { skills: [{ source: 'git', url: repository.url }] };
  const [alone, project] = [openProject(manifest), openProject(manifest)];
  await alone.sync();
  const ran = await Promise.all([1, 2, 3, 4].map(() => project.sync()));
  for (const one of ran) expect(one).toEqual({ code: 0, stdout: '1 skill: a\n', stderr: '' });
  expect(Object.values(project.files()).toSorted()).toEqual(
    Object.values(alone.files()).toSorted(),
  );
});

it('SKIL-05 helix-skills sync writes nothing over what another one wrote meanwhile', async () => {
  const repository = openRepository();
  const older = repository.commit({ 'skills/a/SKILL.md': skillText('a', 'A.', 'older') });
  const newer = Promise.withResolvers<void>();
  const url = await serve(repository, async () => {
    // Somebody else syncs the next commit while the first one is being fetched.
    repository.commit({ 'skills/a/SKILL.md': skillText('a', 'A.', 'newer') });
    expect(await project.sync()).toMatchObject({ code: 0, stderr: '' });
    newer.resolve();
  });
  const project = openProject({ skills: [{ source: 'git', url, ref: 'main' }] });
  const first = project.sync();
  await newer.promise;
  const written = project.files();
  expect(await first).toEqual(NOT_MINE);
  expect(project.files()).toEqual(written);
  expect(project.skills()[0]?.body).toBe('newer');
  expect(project.read(LOCK)).not.toContain(older);
  expect(await project.sync('--check')).toMatchObject({ code: 0 });
});

it('SKIL-05 helix-skills sync of a tag that two of them see at different commits takes the first', async () => {
  const repository = openRepository();
  repository.commit({ 'skills/a/SKILL.md': skillText('a', 'A.', 'first') });
  repository.git('tag', 'v1');
  const url = await serve(repository, async () => {
    expect(await project.sync()).toMatchObject({ code: 0 });
    repository.commit({ 'skills/a/SKILL.md': skillText('a', 'A.', 'moved') });
    repository.git('tag', '--force', 'v1');
  });
  const project = openProject({ skills: [{ source: 'git', url, version: '1' }] });
  // It resolved the tag before it was moved: what it fetches, and locks, is that commit.
  expect(await project.sync()).toMatchObject({ code: 0 });
  expect(project.skills()[0]?.body).toBe('first');
  expect(await project.sync()).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/Tags do not move/),
  });
});

it('SKIL-05 helix-skills sync that was killed while it wrote leaves a mark, which the next one names', async () => {
  const repository = openRepository();
  repository.commit({ 'skills/a/SKILL.md': skillText('a') });
  const project = openProject({ skills: [{ source: 'git', url: repository.url }] });
  project.write(`${LOCK}.writing`, '');
  const before = project.files();
  expect(await project.sync()).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/helix\.skills\.lock\.writing is there: .* delete this file/),
  });
  expect(project.files()).toEqual(before);
});

it('helix-skills prints nothing that steers the terminal, whatever a file has', async () => {
  const repository = openRepository();
  repository.commit({ 'skills/a/SKILL.md': skillText('a') });
  const odd = '\u0000\u001b[2J\u202e\nwarning: all is well';
  const project = openProject({ skills: [{ source: 'git', url: repository.url }] });
  const locks = [odd, JSON.stringify({ lockfileVersion: `1${odd}\u009b` })];
  for (const text of locks) {
    project.write(LOCK, text);
    const { code, stderr } = await project.sync();
    expect([code, stderr.trim().split('\n')]).toEqual([1, [expect.stringContaining('<U+')]]);
    expect(stderr).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
  }
  project.write('helix.skills.json', odd);
  for (const args of [[], [`--${odd}`]]) {
    const { code, stderr } = await project.sync(...args);
    expect(code).toBe(2);
    expect(stderr).toContain('<U+001B>[2J');
    expect(stderr).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
  }
});
