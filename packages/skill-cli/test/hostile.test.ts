// If this fails: who writes a repository, a marketplace or a manifest runs programs, fills the disk or reads files where skills are built.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openProject } from './project.ts';
import { GIT_ENV, openFolder, openRepository, skillText, type Repository } from './repository.ts';
import { serveGit, startServer } from './server.ts';

/** A tree of git with entries that no command of git would write. */
function makeTree(
  repository: Repository,
  entries: readonly (readonly [mode: string, name: string, id: string])[],
): string {
  const bytes = entries.map(([mode, name, id]) =>
    Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]),
  );
  return repository.gitWith(
    Buffer.concat(bytes),
    'hash-object',
    '-t',
    'tree',
    '-w',
    '--stdin',
    '--literally',
  );
}

function commitTree(repository: Repository, tree: string): void {
  repository.git('update-ref', 'refs/heads/main', repository.git('commit-tree', tree, '-m', 'x'));
}

function blob(repository: Repository, content: string): string {
  return repository.gitWith(content, 'hash-object', '-w', '--stdin');
}

describe('helix-skills sync refuses (SKIL-05)', () => {
  it.each([
    ['--upload-pack=touch ran'],
    ['-u./ran'],
    ['ext::sh -c touch% ran'],
    ['fd::17'],
    ['file://host/x'],
    ['http://example.com/x.git'],
    ['git://example.com/x.git'],
    ['ftp://example.com/x.git'],
    ['ssh://-oProxyCommand=touch ran/x'],
    ['ssh://-oProxyCommand=x/x'],
    ['-oProxyCommand=x@host:x'],
    ['git@-oProxyCommand=x:x'],
    ['../repository'],
    ['/etc'],
    ['origin'],
    ['https://example.com/x?y'],
    ['https://example.com/\nx'],
    ['https://'],
    [''],
  ])('the address %j', async (url) => {
    const project = openProject({ skills: [{ source: 'git', url }] });
    const before = project.files();
    expect(await project.sync()).toMatchObject({ code: 2, stdout: '' });
    expect(project.files()).toEqual(before);
  });

  it('an address with a password, without repeating it', async () => {
    const project = openProject({
      skills: [{ source: 'git', url: 'https://me:hunter2@example.com/x' }],
    });
    const { code, stderr } = await project.sync();
    expect(code).toBe(2);
    expect(stderr).toContain('The address of example.com has a user or password in it');
    expect(stderr).not.toContain('hunter2');
  });

  it.each([
    ['--upload-pack=touch ran'],
    ['-x'],
    ['a..b'],
    ['a b'],
    ['a:b'],
    ['refs/heads/*'],
    ['^main'],
    ['main~1'],
    ['@{u}'],
    ['a\nb'],
    ['x.lock'],
    ['/main'],
    ['main/'],
  ])('the ref %j', async (ref) => {
    const repository = openRepository();
    repository.commit({ 'skills/a/SKILL.md': skillText('a') });
    for (const which of [{ ref }, { version: ref }]) {
      const project = openProject({ skills: [{ source: 'git', url: repository.url, ...which }] });
      expect(await project.sync()).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/cannot be the name of a branch or tag/),
      });
    }
  });

  it.each(['../x', 'a/../../x', '/etc', 'a\\b', 'a\0b', '.git', 'x/.GIT/y'])(
    'the folder %j',
    async (skillsDir) => {
      const project = openProject({
        skills: [{ source: 'git', url: 'https://example.com/x', skillsDir }],
      });
      expect(await project.sync()).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/`skillsDir` must be a folder inside/),
      });
    },
  );

  it.each(['..', '.', '.git', 'a/b', ''])('a tree with an entry %j', async (name) => {
    const repository = openRepository();
    const skill = blob(repository, skillText('a'));
    const inner = makeTree(repository, [['100644', 'SKILL.md', skill]]);
    const odd = makeTree(repository, [['40000', name, inner]]);
    commitTree(repository, makeTree(repository, [['40000', 'skills', odd]]));
    const project = openProject({ skills: [{ source: 'git', url: repository.url }] });
    const before = project.files();
    expect(await project.sync()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/git fetch failed/),
    });
    expect(project.files()).toEqual(before);
    expect(existsSync(join(dirname(project.path), 'SKILL.md'))).toBe(false);
  });

  it('a few objects that name a billion files', async () => {
    const repository = openRepository();
    let inner = makeTree(repository, [['100644', 'SKILL.md', blob(repository, skillText('a'))]]);
    for (let level = 0; level < 9; level += 1) {
      inner = makeTree(
        repository,
        Array.from({ length: 10 }, (_, index) => ['40000', `d${index}`, inner] as const),
      );
    }
    commitTree(repository, makeTree(repository, [['40000', 'skills', inner]]));
    const project = openProject({ skills: [{ source: 'git', url: repository.url }] });
    expect(await project.sync()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/more than 100000 files under "skills"/),
    });
  });

  it('a file that is small only while it is packed', async () => {
    const repository = openRepository();
    repository.commit({
      'skills/a/SKILL.md': skillText('a'),
      'skills/a/zero': new Uint8Array(40_000_000),
    });
    const project = openProject({ skills: [{ source: 'git', url: repository.url }] });
    expect(await project.sync()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /skills\/a\/zero has 40000000 bytes; no file may have more than/,
      ),
    });
  });

  it('skills that are too large, with the whole list', async () => {
    const repository = openRepository();
    const text = (length: number): string => 'x'.repeat(length);
    repository.commit({
      'skills/a/SKILL.md': skillText('a', 'A.', text(2_000)),
      'skills/a/one.txt': text(1_500),
      'skills/a/binary': new Uint8Array(5_000),
      'skills/b/SKILL.md': skillText('b'),
      ...Object.fromEntries(
        Array.from({ length: 5 }, (_, index) => [`skills/b/${index}.txt`, text(900)]),
      ),
      'skills/c/SKILL.md': skillText('c'),
    });
    const source = { source: 'git', url: repository.url };
    const limits = { fileBytes: 1_000, skillBytes: 4_000 };
    const { code, stderr } = await openProject({ skills: [source], limits }).sync();
    expect(code).toBe(1);
    expect(stderr.trim().split('\n')).toEqual([
      expect.stringMatching(
        /skills\/a\/SKILL\.md has \d+ bytes; a text may have 1000 \(`limits\.fileBytes`\)\.$/,
      ),
      'skills/a/one.txt has 1500 bytes; a text may have 1000 (`limits.fileBytes`).',
      expect.stringMatching(/^skills\/b has \d+ bytes of text; a skill may have 4000/),
    ]);
    const module = await openProject({ skills: [source], limits: { moduleBytes: 8_000 } }).sync();
    expect(module.code).toBe(1);
    expect(module.stderr).toMatch(
      /The module has \d+ bytes; it may have 8000[^]*\n {2}b: \d+\n {2}a: \d+\n {2}c: \d+\n$/,
    );
  });

  it('a repository that is too large', async () => {
    const repository = openRepository();
    repository.commit({
      'skills/a/SKILL.md': skillText('a'),
      big: crypto.getRandomValues(new Uint8Array(60_000)),
    });
    const project = openProject({
      skills: [{ source: 'git', url: repository.url }],
      limits: { fetchBytes: 50_000 },
    });
    expect(await project.sync()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/is larger than 50000 bytes\./),
    });
  });

  it('a skill of more than 1,000 files', async () => {
    const repository = openRepository();
    const files = Array.from({ length: 1_001 }, (_, index) => [`skills/a/${index}`, 'x']);
    repository.commit({ 'skills/a/SKILL.md': skillText('a'), ...Object.fromEntries(files) });
    const project = openProject({ skills: [{ source: 'git', url: repository.url }] });
    expect(await project.sync()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/skills\/a has more than 1000 files/),
    });
  });

  it('a server that never answers, after its time', async () => {
    const url = await startServer(() => {});
    const project = openProject({
      skills: [{ source: 'git', url: `${url}/x` }],
      limits: { fetchMs: 300 },
    });
    expect(await project.sync()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/git ls-remote took longer than 300 ms/),
    });
  });

  it('a server that leads to a file, or to another way', async () => {
    const repository = openRepository();
    repository.commit({ 'skills/a/SKILL.md': skillText('a') });
    for (const target of [repository.url, 'https://127.0.0.1:1/x', 'ext::sh']) {
      const url = await startServer((_, response) =>
        response.writeHead(302, { location: `${target}/info/refs` }).end(),
      );
      const project = openProject({ skills: [{ source: 'git', url }] });
      expect(await project.sync()).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/git ls-remote failed/),
      });
    }
  });
});

describe('helix-skills sync runs nothing but git', () => {
  it('takes a repository with hooks, filters and submodules as data', async () => {
    const ran = join(openFolder(), 'ran');
    const repository = openRepository();
    const commit = repository.commit({
      'skills/a/SKILL.md': skillText('a'),
      'skills/a/big.bin': 'version https://git-lfs.github.com/spec/v1\n',
      '.gitattributes': '* filter=evil diff=evil\n',
      '.lfsconfig': '[lfs]\n\turl = http://127.0.0.1:1\n',
      '.gitmodules': '[submodule "x"]\n\tpath = skills/a/sub\n\turl = https://example.com/x\n',
    });
    repository.git('update-index', '--add', '--cacheinfo', `160000,${commit},skills/a/sub`);
    repository.git('commit', '--quiet', '--message=x');
    // What the user's own settings would run.
    const hooks = join(openFolder(), 'hooks');
    mkdirSync(hooks);
    for (const hook of ['reference-transaction', 'post-checkout', 'post-merge', 'pre-auto-gc']) {
      writeFileSync(join(hooks, hook), `#!/bin/sh\ntouch ${ran}\n`);
      chmodSync(join(hooks, hook), 0o755);
    }
    const config = join(openFolder(), 'config');
    writeFileSync(
      config,
      `[core]\n\thooksPath = ${hooks}\n[filter "evil"]\n\tsmudge = touch ${ran}\n[diff "evil"]\n\ttextconv = touch ${ran}\n[diff]\n\texternal = touch ${ran}\n`,
    );
    const project = openProject({ skills: [{ source: 'git', url: repository.url, ref: 'main' }] });
    const env = { GIT_CONFIG_GLOBAL: config, GIT_EXTERNAL_DIFF: `touch ${ran}` };
    expect(await project.syncIn(env)).toEqual({
      code: 0,
      stdout: '1 skill: a\n',
      stderr: 'warning: skills/a/sub is a submodule and was skipped\n',
    });
    repository.commit({ 'skills/a/SKILL.md': skillText('a', 'New.') });
    expect(await project.syncIn(env)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('+description: New.'),
    });
    expect(existsSync(ran)).toBe(false);
  });

  it('works on its own repository inside of a hook of another one', async () => {
    const [repository, own] = [openRepository(), openRepository()];
    repository.commit({ 'skills/a/SKILL.md': skillText('a') });
    const head = own.commit({ x: 'x' });
    const project = openProject({ skills: [{ source: 'git', url: repository.url }] });
    const env = {
      GIT_DIR: join(own.path, '.git'),
      GIT_WORK_TREE: own.path,
      GIT_INDEX_FILE: join(own.path, '.git/index'),
    };
    expect(await project.syncIn(env)).toMatchObject({ code: 0 });
    expect(own.git('rev-parse', 'HEAD')).toBe(head);
    expect(existsSync(join(own.path, '.git/FETCH_HEAD'))).toBe(false);
    expect(own.git('status', '--porcelain')).toBe('');
  });

  it('says that git is missing', async () => {
    const project = openProject({ skills: [{ source: 'git', url: 'https://example.com/x' }] });
    expect(await project.syncIn({ PATH: openFolder() })).toMatchObject({
      code: 1,
      stderr: 'helix-skills: git is not installed, or not in PATH.\n',
    });
  });

  it('leaves no file behind, neither after a success nor after a failure', async () => {
    const repository = openRepository();
    repository.commit({ 'skills/a/SKILL.md': skillText('a') });
    const temporary = openFolder();
    const bin = join(import.meta.dirname, '../bin/helix-skills.js');
    const run = (url: string): void => {
      const project = openProject({ skills: [{ source: 'git', url }] });
      try {
        execFileSync(
          process.execPath,
          ['--conditions=@helix-agents/source', '--no-warnings', bin, 'sync'],
          {
            cwd: project.path,
            env: { ...GIT_ENV, TMPDIR: temporary },
            stdio: 'pipe',
          },
        );
      } catch {
        expect(url).toContain('absent');
      }
    };
    run(repository.url);
    run(`${repository.url}/absent`);
    expect(readdirSync(temporary)).toEqual([]);
  });
});

describe('helix-skills sync over http', () => {
  it('takes the skills that a server of git has, and checks them', async () => {
    const repository = openRepository();
    repository.commit({ 'skills/a/SKILL.md': skillText('a') });
    repository.git('tag', 'v1');
    const server = await startServer((request, response) =>
      serveGit(dirname(repository.path), request, response),
    );
    const url = `${server}/${basename(repository.path)}/.git`;
    const project = openProject({ skills: [{ source: 'git', url, version: '1' }] });
    expect(await project.sync()).toMatchObject({ code: 0, stdout: '1 skill: a\n' });
    expect(await project.sync('--check')).toMatchObject({ code: 0 });
  });
});
