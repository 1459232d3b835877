// If this fails: CI lets through skills that are not the ones somebody looked at.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LOCK, MODULE, openProject, type LockFile, type Project } from './project.ts';
import { openRepository, skillText, type Repository } from './repository.ts';

interface Scene {
  readonly repository: Repository;
  readonly project: Project;
  /** The commit before the one that was taken. */
  readonly older: string;
}

async function openScene(which: object = { ref: 'v1' }): Promise<Scene> {
  const repository = openRepository();
  const older = repository.commit({ 'skills/a/SKILL.md': skillText('a', 'A.', 'older') });
  repository.commit({
    'skills/a/SKILL.md': skillText('a', 'A.', 'good'),
    'skills/b/SKILL.md': skillText('b'),
  });
  repository.git('tag', 'v1');
  const project = openProject({ skills: [{ source: 'git', url: repository.url, ...which }] });
  expect(await project.sync()).toMatchObject({ code: 0 });
  return { repository, project, older };
}

/** A check says this, and changes nothing. */
async function expectRefused(project: Project, message: RegExp): Promise<void> {
  const before = project.files();
  expect(await project.sync('--check')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(message),
  });
  expect(project.files()).toEqual(before);
}

function edit(project: Project, change: (lock: LockFile) => void): void {
  const lock = project.lock();
  change(lock);
  project.write(LOCK, `${JSON.stringify(lock, null, 2)}\n`);
}

describe('helix-skills sync --check (SKIL-05)', () => {
  it('passes after a sync, also with the line ends of Windows', async () => {
    const { project } = await openScene();
    const current = { code: 0, stdout: '2 skills, current\n', stderr: '' };
    expect(await project.sync('--check')).toEqual(current);
    for (const file of [LOCK, MODULE])
      project.write(file, project.read(file).replaceAll('\n', '\r\n'));
    expect(await project.sync('--check')).toEqual(current);
  });

  it.each<[string, (scene: Scene) => void, RegExp]>([
    [
      'there is no lock',
      ({ project }) => rmSync(join(project.path, LOCK)),
      /helix\.skills\.lock is missing\. Run `helix-skills sync`/,
    ],
    [
      'there is no module',
      ({ project }) => rmSync(join(project.path, MODULE)),
      /skills\.generated\.ts is missing/,
    ],
    [
      'the module was edited',
      ({ project }) => project.write(MODULE, project.read(MODULE).replace('good', 'evil')),
      /is not what the lock file gives[^]*-evil\n[^]*\+good/,
    ],
    [
      'code was added to the module',
      ({ project }) => project.write(MODULE, `${project.read(MODULE)}fetch('x');\n`),
      /is not what the lock file gives/,
    ],
    [
      'the manifest names another tag',
      ({ project, repository }) => {
        repository.git('tag', 'v2');
        project.setManifest({ skills: [{ source: 'git', url: repository.url, ref: 'v2' }] });
      },
      /no entry for refs\/tags\/v2/,
    ],
    [
      'the manifest names fewer skills',
      ({ project, repository }) =>
        project.setManifest({
          skills: [{ source: 'git', url: repository.url, ref: 'v1', include: ['a'] }],
        }),
      /helix\.skills\.lock is not what the manifest/,
    ],
    ['the lock is no JSON', ({ project }) => project.write(LOCK, '<<<<<<< HEAD'), /is no JSON/],
    [
      'the lock is of another version',
      ({ project }) => edit(project, (lock) => (lock.lockfileVersion = 2)),
      /lockfileVersion 2; this version of helix-skills reads 1/,
    ],
    [
      'the lock has an entry too many',
      ({ project }) =>
        edit(project, ({ entries }) =>
          entries.push({ ...entries[0], url: 'https://example.com/x' }),
        ),
      /is not what the manifest/,
    ],
    [
      'the lock has another integrity',
      ({ project }) =>
        edit(project, ({ entries }) => (entries[0]!['integrity'] = `sha256-${'A'.repeat(43)}=`)),
      /another integrity/,
    ],
    [
      'the lock has other skills',
      ({ project }) => edit(project, ({ entries }) => (entries[0]!['skills'] = ['a'])),
      /is not what the manifest/,
    ],
    [
      'the lock has another field',
      ({ project }) => edit(project, ({ entries }) => (entries[0]!['note'] = 'x')),
      /is not what the manifest/,
    ],
    [
      'the lock has another commit',
      ({ project, older }) => edit(project, ({ entries }) => (entries[0]!['commit'] = older)),
      /refs\/tags\/v1 of .* was .* and is .* now/,
    ],
    [
      'the lock has a commit that is none',
      ({ project }) => edit(project, ({ entries }) => (entries[0]!['commit'] = '--upload-pack=x')),
      /an entry that is none: entries\[0\]/,
    ],
    [
      'the tag was moved',
      ({ repository }) => void repository.git('tag', '--force', 'v1', 'HEAD~1'),
      /refs\/tags\/v1 of .* was .* and is .* now\. Tags do not move by themselves/,
    ],
    [
      'the tag was moved, as an annotated one',
      ({ repository }) => void repository.git('tag', '--force', '-a', 'v1', '-m', 'x', 'HEAD~1'),
      /Tags do not move/,
    ],
    [
      'the tag is gone',
      ({ repository }) => void repository.git('tag', '--delete', 'v1'),
      /has no refs\/tags\/v1/,
    ],
  ])('fails where %s', async (_, change, message) => {
    const scene = await openScene();
    change(scene);
    await expectRefused(scene.project, message);
  });

  it('fails where the lock has another commit than the `sha` of the manifest', async () => {
    const repository = openRepository();
    const older = repository.commit({ 'skills/a/SKILL.md': skillText('a', 'A.', 'older') });
    const sha = repository.commit({ 'skills/a/SKILL.md': skillText('a', 'A.', 'good') });
    const project = openProject({ skills: [{ source: 'git', url: repository.url, sha }] });
    await project.sync();
    edit(project, ({ entries }) => (entries[0]!['commit'] = older));
    await expectRefused(project, /where the manifest names/);
    expect(await project.sync()).toMatchObject({ code: 1 });
  });

  it('stays at the locked commit while a branch goes on', async () => {
    const { project, repository } = await openScene({ ref: 'main' });
    repository.commit({ 'skills/a/SKILL.md': skillText('a', 'A.', 'newer') });
    repository.commit({ 'skills/a/SKILL.md': skillText('a', 'A.', 'newest') });
    expect(await project.sync('--check')).toMatchObject({ code: 0 });
    expect(project.skills()[0]?.body).toBe('good');
  });

  it('fails where a branch does not contain the locked commit', async () => {
    const { project, repository } = await openScene({ ref: 'main' });
    repository.git('checkout', '--quiet', '--orphan', 'evil');
    const evil = repository.commit({ 'skills/a/SKILL.md': skillText('a', 'A.', 'evil') });
    repository.git('checkout', '--quiet', 'main');
    // A forged lock and module, both as a sync would write them: the server has the commit, but not on the branch.
    const forged = openProject({ skills: [{ source: 'git', url: repository.url, sha: evil }] });
    await forged.sync();
    const entry = { ...forged.lock().entries[0], ref: 'refs/heads/main' };
    edit(project, (lock) => (lock.entries = [entry]));
    project.write(MODULE, forged.read(MODULE));
    await expectRefused(project, /refs\/heads\/main of .* does not contain the locked commit/);
  });

  it('fails where a branch was rewritten', async () => {
    const { project, repository } = await openScene({});
    repository.git('reset', '--quiet', '--hard', 'HEAD~1');
    repository.git('tag', '--delete', 'v1');
    repository.commit({ 'skills/a/SKILL.md': skillText('a', 'A.', 'rewritten') });
    await expectRefused(project, /does not contain the locked commit/);
    expect(await project.sync()).toMatchObject({ code: 0 });
  });
});

describe('helix-skills sync (SKIL-05)', () => {
  it('does not follow a tag that was moved, until its entry is deleted', async () => {
    const { project, repository, older } = await openScene();
    repository.git('tag', '--force', 'v1', older);
    const before = project.files();
    expect(await project.sync()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/Tags do not move/),
    });
    expect(project.files()).toEqual(before);
    edit(project, (lock) => (lock.entries = []));
    const { code, stdout } = await project.sync();
    expect(code).toBe(0);
    expect(stdout).toContain('-good\n  +older');
  });

  it('does not replace a lock that was edited', async () => {
    const { project } = await openScene();
    edit(project, ({ entries }) => (entries[0]!['integrity'] = 'sha256-x'));
    const before = project.files();
    expect(await project.sync()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/another integrity/),
    });
    expect(project.files()).toEqual(before);
  });
});
