// If this fails: a skill that an agent was built with is gone after the next sync, and nobody was told.
import { describe, expect, it } from 'vitest';
import { MODULE, openProject, type Project } from './project.ts';
import { openRepository, skillText, type Repository } from './repository.ts';

const HUGE = skillText('a', 'A.', 'x'.repeat(1_000_001));
const OTHER = { 'skills/b/SKILL.md': skillText('b') };

/** A project that has taken the skills a and b of a branch. */
async function openScene(): Promise<{ repository: Repository; project: Project }> {
  const repository = openRepository();
  repository.commit({ 'skills/a/SKILL.md': skillText('a'), ...OTHER });
  const project = openProject({ skills: [{ source: 'git', url: repository.url, ref: 'main' }] });
  expect(await project.sync()).toMatchObject({ code: 0, stdout: '2 skills: a, b\n' });
  return { repository, project };
}

describe('helix-skills sync loses no skill (SKIL-03)', () => {
  it.each([
    ['by a text', {}, 'a text may have 262144 (`limits.fileBytes`).'],
    ['whatever a text may have', { fileBytes: 5_000_000 }, 'a SKILL.md may have 1000000.'],
  ])('refuses a SKILL.md that is too large: %s', async (_, limits, message) => {
    const repository = openRepository();
    repository.commit({ 'skills/a/SKILL.md': HUGE, ...OTHER });
    const source = { source: 'git', url: repository.url };
    const told = `helix-skills: skills/a/SKILL.md has ${HUGE.length} bytes; ${message}\n`;
    for (const include of [undefined, ['a', 'b']]) {
      const project = openProject({ skills: [{ ...source, include }], limits });
      const before = project.files();
      expect(await project.sync()).toEqual({ code: 1, stdout: '', stderr: told });
      expect(project.files()).toEqual(before);
    }
    const project = openProject({ skills: [{ ...source, include: ['b'] }], limits });
    expect(await project.sync()).toEqual({ code: 0, stdout: '1 skill: b\n', stderr: '' });
  });

  it.each<[string, Parameters<Repository['commit']>[0], RegExp]>([
    ['too large', { 'skills/a/SKILL.md': HUGE }, /skills\/a\/SKILL\.md has \d+ bytes/],
    ['no skill', { 'skills/a/SKILL.md': 'nothing' }, /a\/SKILL\.md: it has no frontmatter/],
    ['binary', { 'skills/a/SKILL.md': new Uint8Array(9) }, /a\/SKILL\.md: it is no UTF-8 text/],
    ['called otherwise', { 'skills/a/skill.md': skillText('a') }, /must be called SKILL\.md/],
    ['a link', { 'skills/a': { link: 'b' } }, /skills\/a is a link/],
  ])('refuses what the last sync took when it is %s now', async (_, files, message) => {
    const { repository, project } = await openScene();
    const before = project.files();
    repository.commit({ ...files, ...OTHER });
    const { code, stdout, stderr } = await project.sync();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(message);
    expect(project.files()).toEqual(before);
    const source = { source: 'git', url: repository.url, ref: 'main', include: ['b'] };
    project.setManifest({ skills: [source] });
    expect(await project.sync()).toMatchObject({ code: 0, stderr: '' });
  });

  it('warns where a branch has a skill no longer, also when there is no module to compare with', async () => {
    const warning = 'warning: the skill "a" is in the lock file and not there any more\n';
    const { repository, project } = await openScene();
    repository.commit(OTHER);
    project.write(MODULE, '');
    expect(await project.sync()).toEqual({ code: 0, stdout: '1 skill: b\n', stderr: warning });
    expect(await project.sync()).toMatchObject({ code: 0, stderr: '' });
  });

  it('does not take a broken folder for the skill of that name in another', async () => {
    const repository = openRepository();
    repository.commit({ 'skills/a/SKILL.md': 'nothing', 'skills/c/SKILL.md': skillText('a') });
    const project = openProject({ skills: [{ source: 'git', url: repository.url }] });
    for (const _ of [1, 2]) {
      const { code, stderr } = await project.sync();
      expect(code).toBe(0);
      expect(stderr).toMatch(/^warning: skills\/a\/SKILL\.md: it has no frontmatter.*: skipped$/m);
    }
  });
});
