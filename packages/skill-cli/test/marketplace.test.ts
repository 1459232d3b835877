// If this fails: a plugin of a marketplace brings other skills than it has, or a marketplace reaches what it should not.
import { basename, dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openProject, type Project } from './project.ts';
import { openRepository, skillText, type Repository } from './repository.ts';
import { serveGit, startServer } from './server.ts';

const FILE = '.claude-plugin/marketplace.json';

/** A marketplace with these plugins, and other files beside its list. */
function openMarket(
  plugins: readonly object[],
  files: Readonly<Record<string, string>> = {},
  metadata?: object,
): Repository {
  const repository = openRepository();
  const market = { name: 'market', owner: { name: 'A' }, plugins, ...(metadata && { metadata }) };
  repository.commit({ [FILE]: JSON.stringify(market), ...files });
  return repository;
}

function take({ url }: { readonly url: string }, plugin: string): Project {
  return openProject({ skills: [{ source: 'claude-marketplace', url, plugin }] });
}

const SKILLS = {
  'skills/a/SKILL.md': skillText('a'),
  'skills/b/SKILL.md': skillText('b'),
  'plugins/x/skills/c/SKILL.md': skillText('c'),
  'plugins/x/extra/d/SKILL.md': skillText('d'),
  'plugins/x/.claude-plugin/plugin.json': '{"name": "x", "skills": "./extra"}',
};

describe('helix-skills sync from a marketplace', () => {
  it.each<[string, object, object | undefined, string]>([
    [
      'a folder of the marketplace, with its plugin.json',
      { source: './plugins/x' },
      undefined,
      'c, d',
    ],
    ['a folder below `pluginRoot`', { source: './x' }, { pluginRoot: './plugins' }, 'c, d'],
    [
      'the skills that the entry lists, and no others',
      { source: './', strict: false, skills: ['./skills/b'] },
      undefined,
      'b',
    ],
    [
      'a folder of skills that the entry lists',
      { source: './', strict: false, skills: './plugins/x/extra' },
      undefined,
      'd',
    ],
    [
      'the listed skills besides its own',
      { source: './', skills: ['./plugins/x/extra/d'] },
      undefined,
      'a, b, d',
    ],
    [
      'its own skills, where a closed entry lists none',
      { source: './', strict: false },
      undefined,
      'a, b',
    ],
  ])('takes %s', async (_, plugin, metadata, expected) => {
    const market = openMarket(
      [
        { name: 'other', source: './none' },
        { name: 'x', ...plugin },
      ],
      SKILLS,
      metadata,
    );
    const project = take(market, 'x');
    const count = expected.split(', ').length;
    expect(await project.sync()).toEqual({
      code: 0,
      stdout: `${count} ${count === 1 ? 'skill' : 'skills'}: ${expected}\n`,
      stderr: '',
    });
    expect(project.lock().entries).toMatchObject([
      { source: 'claude-marketplace', plugin: 'x', ref: 'HEAD' },
    ]);
    expect(project.lock().entries[0]).not.toHaveProperty('pluginSource');
    expect(await project.sync('--check')).toMatchObject({ code: 0 });
  });

  it.each(['url', 'git-subdir'])(
    'takes a plugin of another repository, by "%s"',
    async (source) => {
      const other = openRepository();
      const sha = other.commit({ 'sub/skills/c/SKILL.md': skillText('c', 'C.', 'pinned') });
      other.commit({ 'sub/skills/c/SKILL.md': skillText('c', 'C.', 'newer') });
      const market = openMarket([
        { name: 'x', source: { source, url: other.url, path: 'sub', sha, ref: 'main' } },
      ]);
      const project = take(market, 'x');
      expect(await project.sync()).toMatchObject({ code: 0, stdout: '1 skill: c\n' });
      expect(project.skills()[0]?.body).toBe('pinned');
      expect(project.lock().entries).toMatchObject([
        {
          commit: market.git('rev-parse', 'HEAD'),
          pluginSource: { url: other.url, ref: sha, commit: sha },
        },
      ]);
      expect(await project.sync('--check')).toMatchObject({ code: 0 });
    },
  );

  it('does not follow a tag of the plugin that was moved, nor a lock that names another commit', async () => {
    const other = openRepository();
    const older = other.commit({ 'skills/c/SKILL.md': skillText('c', 'C.', 'older') });
    other.commit({ 'skills/c/SKILL.md': skillText('c', 'C.', 'good') });
    other.git('tag', 'v1');
    const market = openMarket([
      { name: 'x', source: { source: 'url', url: other.url, ref: 'v1' } },
    ]);
    const project = take(market, 'x');
    await project.sync();
    const lock = project.read('helix.skills.lock');
    project.write('helix.skills.lock', lock.replace(other.git('rev-parse', 'v1'), older));
    expect(await project.sync('--check')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/Tags do not move/),
    });
    project.write('helix.skills.lock', lock);
    other.git('tag', '--force', 'v1', older);
    for (const args of [[], ['--check']]) {
      expect(await project.sync(...args)).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/Tags do not move/),
      });
    }
  });

  it.each<[string, object | string, RegExp]>([
    ['is no JSON', '{', /marketplace\.json is no JSON/],
    [
      'has no such plugin',
      { plugins: [{ name: 'y' }, { name: 'z\u001b[2J' }] },
      /has no plugin "x"; it has y, z<U\+001B>\[2J/,
    ],
    ['has no list', { plugins: 'x' }, /has no plugin "x"; it lists none\.$/m],
    ['has plugins without a name', { plugins: [{}] }, /has no plugin "x"; it lists none\.$/m],
    [
      'has two plugins of one name',
      {
        plugins: [
          { name: 'x', source: './skills' },
          { name: 'x', source: './other' },
        ],
      },
      /lists two plugins "x"; only its owner can say which is meant/,
    ],
    [
      'does not say where the plugin is',
      { plugins: [{ name: 'x' }] },
      /does not say where the plugin "x" is\. Supported are a path in its repository, "github"/,
    ],
    [
      'has an unknown kind of source',
      { plugins: [{ name: 'x', source: { source: 'git', url: 'https://example.com/x' } }] },
      /takes the plugin "x" from "git", which is not supported\. Supported are/,
    ],
    [
      'names no address',
      { plugins: [{ name: 'x', source: { source: 'url' } }] },
      /takes the plugin "x" from "url" and names no `url` that could be one/,
    ],
    [
      'names a package of npm',
      { plugins: [{ name: 'x', source: { source: 'npm', package: 'x' } }] },
      /from "npm", which is not supported\. .* in the manifest as a source of its own: \{"source": "git"/,
    ],
    [
      'leads out by its source',
      { plugins: [{ name: 'x', source: '../x' }] },
      /names the path "\.\.\/x", which leads out/,
    ],
    [
      'leads out by `pluginRoot`',
      { metadata: { pluginRoot: '/etc' }, plugins: [{ name: 'x', source: './x' }] },
      /names the path "\/etc", which leads out/,
    ],
    [
      'leads out by `skills`',
      { plugins: [{ name: 'x', source: './', skills: ['./../../x'] }] },
      /which leads out/,
    ],
    [
      'has `skills` that are no paths',
      { plugins: [{ name: 'x', source: './', skills: [7] }] },
      /`skills` that are no paths/,
    ],
    [
      'names an option as address',
      { plugins: [{ name: 'x', source: { source: 'url', url: '--upload-pack=x' } }] },
      /The address --upload-pack=x is refused/,
    ],
    [
      'names a helper as address',
      { plugins: [{ name: 'x', source: { source: 'url', url: 'ext::sh -c x' } }] },
      /is refused/,
    ],
    [
      'names a plain http address',
      { plugins: [{ name: 'x', source: { source: 'url', url: 'http://example.com/x' } }] },
      /is refused/,
    ],
    [
      'names an option as ref',
      {
        plugins: [
          { name: 'x', source: { source: 'url', url: 'https://example.com/x', ref: '--x' } },
        ],
      },
      /names the ref "--x"/,
    ],
    [
      'names half a sha',
      {
        plugins: [
          { name: 'x', source: { source: 'url', url: 'https://example.com/x', sha: 'abc' } },
        ],
      },
      /names the sha "abc"/,
    ],
    [
      'names a repository that is none',
      { plugins: [{ name: 'x', source: { source: 'github', repo: '../x' } }] },
      /from "github" and names no `repo` that could be one/,
    ],
    [
      'has no skills',
      { plugins: [{ name: 'x', source: './none' }] },
      /has no skills in "none\/skills"/,
    ],
  ])('refuses a marketplace that %s', async (_, market, message) => {
    const repository = openRepository();
    repository.commit({ [FILE]: typeof market === 'string' ? market : JSON.stringify(market) });
    const project = take(repository, 'x');
    const before = project.files();
    const { code, stdout, stderr } = await project.sync();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('\u001b');
    expect(project.files()).toEqual(before);
  });

  it('refuses a repository that is no marketplace, also where the list is a link', async () => {
    const repository = openRepository();
    repository.commit({ 'skills/a/SKILL.md': skillText('a') });
    const refused = {
      code: 1,
      stderr: expect.stringMatching(
        /is no marketplace: it has no \.claude-plugin\/marketplace\.json/,
      ),
    };
    expect(await take(repository, 'x').sync()).toMatchObject(refused);
    repository.commit({ [FILE]: { link: '/etc/passwd' } });
    expect(await take(repository, 'x').sync()).toMatchObject(refused);
  });

  it('of another machine names no repository of this one', async () => {
    const local = openRepository();
    local.commit({ 'skills/secret/SKILL.md': skillText('secret') });
    const market = openMarket([{ name: 'x', source: { source: 'url', url: local.url } }]);
    const server = await startServer((request, response) =>
      serveGit(dirname(market.path), request, response),
    );
    const url = `${server}/${basename(market.path)}/.git`;
    expect(await take({ url }, 'x').sync()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/may only name repositories with https or ssh/),
    });
  });
});
