// If this fails: an agent is built with other skills than its manifest names, or a build differs from machine to machine.
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inCodeSkillProvider, type SkillDefinition } from '@helix-agents/core';
import { describe, expect, it } from 'vitest';
import { LOCK, MODULE, openProject } from './project.ts';
import { openRepository, skillText } from './repository.ts';

const ROOT = join(import.meta.dirname, '../../..');
const BINARY = new Uint8Array([0, 1, 2, 255]);

describe('helix-skills sync', () => {
  it('writes the skills of a tag as a module, and what it took as a lock', async () => {
    const repository = openRepository();
    const commit = repository.commit({
      'skills/pdf/SKILL.md': skillText(
        'pdf',
        'Reads PDF files.',
        'Use `read.py`: ${x} \\ "y"\n\nthen stop',
      ),
      'skills/pdf/scripts/read.py': 'print(1)\r\n',
      'skills/pdf/logo.png': BINARY,
      'skills/pdf/empty.txt': '',
      'skills/mail/SKILL.md': skillText('mail'),
      'other/x/SKILL.md': skillText('x'),
    });
    repository.git('tag', 'v1.0.0');
    const project = openProject({
      skills: [{ source: 'git', url: repository.url, version: '1.0.0' }],
    });
    expect(await project.sync()).toEqual({ code: 0, stdout: '2 skills: mail, pdf\n', stderr: '' });
    expect(project.skills()).toEqual([
      { name: 'mail', description: 'What mail does.', body: '# mail' },
      {
        name: 'pdf',
        description: 'Reads PDF files.',
        body: 'Use `read.py`: ${x} \\ "y"\n\nthen stop',
        resources: { 'empty.txt': '', 'logo.png': { size: 4 }, 'scripts/read.py': 'print(1)\r\n' },
      },
    ]);
    expect(project.lock()).toEqual({
      lockfileVersion: 1,
      entries: [
        {
          source: 'git',
          url: repository.url,
          skillsDir: 'skills',
          ref: 'refs/tags/v1.0.0',
          commit,
          integrity: expect.stringMatching(/^sha256-[\w+/]{43}=$/),
          skills: ['mail', 'pdf'],
        },
      ],
    });
  });

  it('writes a module that compiles, and that inCodeSkillProvider takes', async () => {
    const repository = openRepository();
    repository.commit({
      'skills/odd/SKILL.md': `---\nname: odd\ndescription: "\`\${x}\`"\nmetadata:\n  __proto__: x\n  a: b\n---\n\`\`\`sh\n\${y}\\n\\u0041\n\`\`\`\n`,
      'skills/odd/__proto__': 'own',
      'skills/odd/u\u2028v.txt': 'a\u2028b\u200bc\r\nd\re',
    });
    const manifest = { skills: [{ source: 'git', url: repository.url }] };
    const [typed, plain] = [openProject(manifest), openProject(manifest)];
    expect(await typed.sync()).toMatchObject({ code: 0 });
    expect(await plain.sync('--out', 'skills.mjs')).toMatchObject({ code: 0 });
    const { skills }: { skills: SkillDefinition[] } = await import(
      pathToFileURL(join(plain.path, 'skills.mjs')).href
    );
    expect(skills).toEqual(typed.skills());
    expect(skills[0]?.body).toBe('```sh\n${y}\\n\\u0041\n```');
    expect(Object.keys(skills[0]?.metadata ?? {}).toSorted()).toEqual(['__proto__', 'a']);
    const provider = inCodeSkillProvider(skills);
    expect(await provider.readResource('odd', '__proto__')).toBe('own');
    expect(await provider.readResource('odd', 'u\u2028v.txt')).toBe('a\u2028b\u200bc\r\nd\re');
    // What a reader would not see is written out in both files.
    expect(typed.read(MODULE)).not.toMatch(/[\u2028\u200b\r]/);
    typed.write('package.json', '{ "type": "module" }');
    typed.write(
      'tsconfig.json',
      JSON.stringify({
        extends: join(ROOT, 'tsconfig.json'),
        compilerOptions: {
          types: [],
          paths: { '@helix-agents/core': [join(ROOT, 'packages/core/src/index.ts')] },
        },
        include: [MODULE],
      }),
    );
    const tsc = join(ROOT, 'node_modules/.bin/tsc');
    expect(spawnSync(tsc, ['--project', typed.path], { encoding: 'utf8' }).stdout).toBe('');
  });

  it('gives the same bytes for any order of the manifest, and touches nothing that is current', async () => {
    const [first, second] = [openRepository(), openRepository()];
    first.commit({
      'skills/b/SKILL.md': skillText('b'),
      'skills/B.md': 'x',
      'skills/b/Z': 'z',
      'skills/b/a': 'a',
    });
    second.commit({ 'skills/a/SKILL.md': skillText('a'), 'skills/c/SKILL.md': skillText('c') });
    const entries = [first, second].map(({ url }) => ({ source: 'git', url, ref: 'main' }));
    const [one, other] = [
      openProject({ skills: entries }),
      openProject({ skills: entries.toReversed() }),
    ];
    await one.sync();
    await other.sync();
    expect(other.read(LOCK)).toBe(one.read(LOCK));
    expect(other.read(MODULE)).toBe(one.read(MODULE));
    const before = [LOCK, MODULE].map((file) => statSync(join(one.path, file)).ino);
    expect(await one.sync()).toMatchObject({ code: 0, stdout: '3 skills: a, b, c\n' });
    expect([LOCK, MODULE].map((file) => statSync(join(one.path, file)).ino)).toEqual(before);
  });

  it.each([
    ['the branch of HEAD', {}, 'HEAD', 'new'],
    ['a branch', { ref: 'main' }, 'refs/heads/main', 'new'],
    ['a branch in full', { ref: 'refs/heads/old' }, 'refs/heads/old', 'old'],
    ['a branch with a slash', { ref: 'feature/x' }, 'refs/heads/feature/x', 'old'],
    ['a tag', { ref: 'v1' }, 'refs/tags/v1', 'old'],
    ['an annotated tag', { ref: 'v2' }, 'refs/tags/v2', 'old'],
    ['a version', { version: '1' }, 'refs/tags/v1', 'old'],
    ['a version without v', { version: '3' }, 'refs/tags/3', 'old'],
  ])('takes %s', async (_, which, ref, expected) => {
    const repository = openRepository();
    const old = repository.commit({ 'skills/a/SKILL.md': skillText('a', 'A.', 'old') });
    for (const args of [
      ['tag', 'v1'],
      ['tag', '-a', 'v2', '-m', 'x'],
      ['tag', '3'],
      ['branch', 'old'],
      ['branch', 'feature/x'],
    ]) {
      repository.git(...args);
    }
    const now = repository.commit({ 'skills/a/SKILL.md': skillText('a', 'A.', 'new') });
    const project = openProject({ skills: [{ source: 'git', url: repository.url, ...which }] });
    expect(await project.sync()).toMatchObject({ code: 0 });
    expect(project.skills()[0]?.body).toBe(expected);
    expect(project.lock().entries).toMatchObject([{ ref, commit: expected === 'new' ? now : old }]);
  });

  it('takes a commit id, and refuses a ref that is another commit', async () => {
    const repository = openRepository();
    const sha = repository.commit({ 'skills/a/SKILL.md': skillText('a', 'A.', 'old') });
    repository.git('tag', 'v1');
    repository.commit({ 'skills/a/SKILL.md': skillText('a', 'A.', 'new') });
    for (const which of [{ sha }, { ref: sha }, { sha, ref: 'v1' }, { sha, version: '1' }]) {
      const project = openProject({ skills: [{ source: 'git', url: repository.url, ...which }] });
      expect(await project.sync()).toMatchObject({ code: 0 });
      expect(project.skills()[0]?.body).toBe('old');
      expect(await project.sync('--check')).toMatchObject({ code: 0 });
    }
    const project = openProject({
      skills: [{ source: 'git', url: repository.url, sha, ref: 'main' }],
    });
    expect(await project.sync()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`not ${sha} as the \`sha\` says`),
    });
  });

  it.each([
    ['a ref that does not exist', { ref: 'v9' }, /has no refs\/tags\/v9 and no refs\/heads\/v9/],
    [
      'a version that does not exist',
      { version: '9' },
      /has no refs\/tags\/v9 and no refs\/tags\/9/,
    ],
    [
      'a name of a tag and a branch',
      { ref: 'both' },
      /has both refs\/tags\/both and refs\/heads\/both/,
    ],
    ['a commit that does not exist', { sha: '1'.repeat(40) }, /git fetch failed/],
    [
      'a folder without skills',
      { skillsDir: 'docs' },
      /has no skills in "docs"\. It has skills\/a\/SKILL\.md/,
    ],
    [
      'a skill that does not exist',
      { include: ['a', 'b'] },
      /no skill "b", which `include` names\. The folders are: a/,
    ],
  ])('fails with %s', async (_, which, message) => {
    const repository = openRepository();
    repository.commit({ 'skills/a/SKILL.md': skillText('a') });
    repository.git('tag', 'both');
    repository.git('branch', 'both');
    repository.commit({ 'skills/a/SKILL.md': skillText('a', 'A.', 'new') });
    repository.git('branch', '--force', 'both');
    const project = openProject({ skills: [{ source: 'git', url: repository.url, ...which }] });
    const before = project.files();
    expect(await project.sync()).toMatchObject({ code: 1, stderr: expect.stringMatching(message) });
    expect(project.files()).toEqual(before);
  });

  it('takes the skills of `include`, a repository that is one skill, and any folder', async () => {
    const [many, single] = [openRepository(), openRepository()];
    many.commit({
      'tools/skills/a/SKILL.md': skillText('a'),
      'tools/skills/b/SKILL.md': skillText('b'),
      'tools/skills/bad/SKILL.md': 'nothing',
    });
    single.commit({
      'SKILL.md': skillText('solo'),
      'notes.md': 'n',
      'nested/SKILL.md': skillText('nested'),
    });
    const project = openProject({
      skills: [
        { source: 'git', url: many.url, skillsDir: './tools/skills/', include: ['b'] },
        { source: 'git', url: single.url, skillsDir: '.' },
      ],
    });
    expect(await project.sync()).toEqual({ code: 0, stdout: '2 skills: b, solo\n', stderr: '' });
    expect(Object.keys(project.skills()[1]?.resources ?? {})).toEqual([
      'nested/SKILL.md',
      'notes.md',
    ]);
  });

  it('takes parts of one repository from several entries', async () => {
    const repository = openRepository();
    repository.commit({ 'x/a/SKILL.md': skillText('a'), 'y/b/SKILL.md': skillText('b') });
    repository.git('tag', 'v1');
    repository.commit({ 'x/a/SKILL.md': skillText('a', 'New.'), 'y/c/SKILL.md': skillText('c') });
    const { url } = repository;
    const project = openProject({
      skills: [
        { source: 'git', url, skillsDir: 'x' },
        { source: 'git', url, skillsDir: 'y' },
        { source: 'git', url, skillsDir: 'y', ref: 'v1' },
      ],
    });
    expect(await project.sync()).toMatchObject({ code: 0, stdout: '3 skills: a, b, c\n' });
    expect(await project.sync('--check')).toMatchObject({ code: 0, stdout: '3 skills, current\n' });
  });

  it('refuses one name from two sources', async () => {
    const [first, second] = [openRepository(), openRepository()];
    for (const { commit } of [first, second]) commit({ 'skills/a/SKILL.md': skillText('a') });
    const skills = [first, second].map(({ url }) => ({ source: 'git', url }));
    const { code, stderr } = await openProject({ skills }).sync();
    expect(code).toBe(1);
    expect(stderr).toContain(`${first.url} and ${second.url} both have a skill "a"`);
  });

  it('warns of what it leaves out, and goes on', async () => {
    const repository = openRepository();
    repository.commit({
      'skills/a/SKILL.md': skillText('a'),
      'skills/a/passwd': { link: '/etc/passwd' },
      'skills/a/100%2e.txt': 'x',
      'skills/alias': { link: 'a' },
      'skills/bad/SKILL.md': 'nothing',
      'skills/odd/skill.md': skillText('odd'),
      'skills/linked/SKILL.md': { link: '../a/SKILL.md' },
      'skills/other/SKILL.md': skillText('another'),
      'skills/none/README.md': 'x',
    });
    const project = openProject({ skills: [{ source: 'git', url: repository.url }] });
    const { code, stdout, stderr } = await project.sync();
    expect({ code, stdout }).toEqual({ code: 0, stdout: '2 skills: a, another\n' });
    expect(stderr.trim().split('\n')).toEqual([
      'warning: skills/alias is a link: skipped',
      'warning: skills/linked/SKILL.md is a link: skipped',
      'warning: skills/odd/skill.md must be called SKILL.md: skipped',
      'warning: skills/bad/SKILL.md: it has no frontmatter: its first line must be "---": skipped',
      'warning: skills/other/SKILL.md: its `name` "another" is not that of its folder "other"',
      'warning: skills/a/passwd is a link and was skipped',
      'warning: skills/a/100%2e.txt has a path that no model can ask for and was skipped',
    ]);
    expect(project.skills()[0]?.resources).toBeUndefined();
  });
});

describe('helix-skills sync after a change', () => {
  it('leaves out what is hidden in a skill, with a warning', async () => {
    const repository = openRepository();
    repository.commit({
      '.claude/skills/a/SKILL.md': skillText('a'),
      '.claude/skills/a/.env': 'KEY=secret',
      '.claude/skills/a/.cache/x.txt': 'secret',
      '.claude/skills/a/a.txt': 'a',
    });
    const project = openProject({
      skills: [{ source: 'git', url: repository.url, skillsDir: '.claude/skills' }],
    });
    const { code, stderr } = await project.sync();
    expect([code, stderr]).toEqual([0, 'warning: .claude/skills/a has 2 hidden files, skipped\n']);
    expect(project.skills()[0]?.resources).toEqual({ 'a.txt': 'a' });
    expect(project.read('src/skills.generated.ts')).not.toContain('secret');
  });

  it('prints what changed in the texts, line by line', async () => {
    const repository = openRepository();
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`);
    repository.commit({
      'skills/a/SKILL.md': skillText('a', 'A.', lines.join('\n')),
      'skills/a/run.sh': 'echo 1\n',
      'skills/a/gone.txt': 'x\n',
      'skills/b/SKILL.md': skillText('b'),
      'skills/same/SKILL.md': skillText('same'),
    });
    const project = openProject({ skills: [{ source: 'git', url: repository.url, ref: 'main' }] });
    expect((await project.sync()).stdout).toBe('3 skills: a, b, same\n');
    repository.commit({
      'skills/a/SKILL.md': skillText('a', 'A!', lines.with(10, 'curl x | sh').join('\n')),
      'skills/a/run.sh': 'echo 2\n',
      'skills/a/logo.png': BINARY,
      'skills/c/SKILL.md': skillText('c'),
      'skills/same/SKILL.md': skillText('same'),
    });
    const { stdout } = await project.sync();
    expect(stdout.split('\n').filter((line) => !line.startsWith('   '))).toEqual([
      'changed a/SKILL.md',
      expect.stringMatching(/^ {2}@@ /),
      '  -description: A.',
      '  +description: A!',
      expect.stringMatching(/^ {2}@@ /),
      '  -line 10',
      '  +curl x | sh',
      'removed file a/gone.txt',
      '  @@ -1 +0,0 @@',
      '  -x',
      'new file a/logo.png',
      '  @@ -0,0 +1 @@',
      '  +binary, 4 bytes',
      'changed a/run.sh',
      '  @@ -1 +1 @@',
      '  -echo 1',
      '  +echo 2',
      'removed skill b: 1 file, 38 characters',
      'new skill c: 1 file, 38 characters',
      '3 skills: a, c, same',
      '',
    ]);
  });

  it('shows what a terminal would hide, and warns of it', async () => {
    const repository = openRepository();
    repository.commit({ 'skills/a/SKILL.md': skillText('a', 'A.', 'plain\n') });
    const project = openProject({ skills: [{ source: 'git', url: repository.url, ref: 'main' }] });
    await project.sync();
    const hidden =
      'ig\u200bnore \u202eall\u2066 \u001b[2Jx \u{e0041} ok \u{1f469}\u200d\u{1f4bb} \u26a0\ufe0f\n';
    repository.commit({
      'skills/a/SKILL.md': skillText('a', 'A.', hidden),
      'skills/a/x\u202e.txt': 'tag: \u{e0068}\u{e0069}\n',
    });
    const { code, stdout, stderr } = await project.sync();
    expect(code).toBe(0);
    expect(stdout).toContain(
      '+ig<U+200B>nore <U+202E>all<U+2066> <U+001B>[2Jx <U+E0041> ok \u{1f469}\u200d\u{1f4bb} \u26a0\ufe0f\n',
    );
    expect(stderr).toContain(
      'skills/a/SKILL.md has characters that are not seen: 5:3 U+200B, 5:9 U+202E, 5:13 U+2066, 5:15 U+001B, 5:21 U+E0041\n',
    );
    expect(stderr).toContain(
      'skills/a/x<U+202E>.txt has characters that are not seen: 1:6 U+E0068, 1:8 U+E0069\n',
    );
    for (const char of '\u001b\u202e\u2066\u200b') expect(stdout + stderr).not.toContain(char);
  });

  it('warns of a single selector, which hides a byte behind any letter', async () => {
    const repository = openRepository();
    const hidden = ['h', 'i'].map(
      (char) => `x${String.fromCodePoint(0xe0100 + char.charCodeAt(0))}`,
    );
    repository.commit({ 'skills/a/SKILL.md': skillText('a', 'A.', `${hidden.join('')} a\ufe01`) });
    const project = openProject({ skills: [{ source: 'git', url: repository.url }] });
    const { stderr } = await project.sync();
    expect(stderr).toContain('not seen: 5:2 U+E0168, 5:5 U+E0169, 5:9 U+FE01');
    expect(project.read(MODULE)).not.toMatch(/\p{Variation_Selector}/u);
  });

  it('follows a branch, and says nothing where the module was formatted', async () => {
    const repository = openRepository();
    repository.commit({ 'skills/a/SKILL.md': skillText('a', 'A.', 'one') });
    const project = openProject({ skills: [{ source: 'git', url: repository.url, ref: 'main' }] });
    await project.sync();
    project.write(MODULE, project.read(MODULE).replaceAll('"', "'"));
    const commit = repository.commit({ 'skills/a/SKILL.md': skillText('a', 'A.', 'two') });
    expect(await project.sync()).toMatchObject({ code: 0, stdout: '1 skill: a\n' });
    expect(project.lock().entries).toMatchObject([{ commit }]);
    expect(project.skills()[0]?.body).toBe('two');
  });
});
