import { describe, expect, it } from 'vitest';
import { SkillSyncError } from '../src/index.ts';
import { parseManifest } from '../src/manifest.ts';
import { openProject } from './project.ts';

const url = 'https://example.com/x';
const entry = (more: object): object => ({ skills: [{ source: 'git', url, ...more }] });

describe('parseManifest', () => {
  it('takes every option', () => {
    const manifest = {
      $schema: 'https://example.com/schema.json',
      skills: [
        { source: 'git', url, ref: 'v1', skillsDir: './a//b/', include: ['b', 'a', 'b'] },
        {
          source: 'claude-marketplace',
          url: 'git@example.com:x/y.git',
          plugin: 'p',
          version: '1.2.0-rc.1',
        },
        { source: 'git', url: 'ssh://git@example.com:22/x', sha: 'a'.repeat(40), skillsDir: '.' },
      ],
      limits: { fileBytes: 1 },
    };
    expect(parseManifest(`\ufeff${JSON.stringify(manifest)}`, 'f')).toEqual({
      skills: [
        { source: 'git', url, ref: 'v1', skillsDir: 'a/b', include: ['a', 'b'] },
        manifest.skills[1],
        { source: 'git', url: 'ssh://git@example.com:22/x', sha: 'a'.repeat(40), skillsDir: '' },
      ],
      limits: { fileBytes: 1 },
    });
  });

  it.each<[string, unknown, RegExp]>([
    ['no object', [], /must be an object/],
    ['no sources', {}, /`skills` must be a list/],
    ['an empty list', { skills: [] }, /at least one source/],
    [
      'an unknown key',
      { skills: [], skill: [] },
      /`skill` is not an option of a manifest; did you mean `skills`\?/,
    ],
    ['an entry that is no object', { skills: ['x'] }, /skills\[0\] must be an object/],
    [
      'an unknown source',
      { skills: [{ source: 'npm', url }] },
      /must be "git" or "claude-marketplace"/,
    ],
    ['no address', { skills: [{ source: 'git' }] }, /skills\[0\]: `url` must be the address/],
    ['an unknown key of an entry', entry({ includes: ['a'] }), /did you mean `include`/],
    ['a plugin of git', entry({ plugin: 'x' }), /`plugin` is not an option of a source "git"/],
    [
      'no plugin',
      { skills: [{ source: 'claude-marketplace', url }] },
      /`plugin` must name a plugin/,
    ],
    ['two states', entry({ ref: 'a', version: '1' }), /give `ref` or `version`, not both/],
    ['half a sha', entry({ sha: 'abc' }), /40 hex digits/],
    ['a ref that is no text', entry({ ref: 1 }), /`ref` must be a text/],
    ['an empty version', entry({ version: '' }), /`version` must be a text/],
    ['an empty include', entry({ include: [] }), /`include` must be a list of names/],
    ['an include that is no list', entry({ include: 'a' }), /`include` must be a list of names/],
    [
      'one source twice',
      {
        skills: [
          { source: 'git', url },
          { url, source: 'git', skillsDir: 'skills/', include: ['a'] },
        ],
      },
      /is listed twice/,
    ],
    [
      'a limit of nothing',
      { ...entry({}), limits: { fileBytes: 0 } },
      /`limits\.fileBytes` must be a whole number/,
    ],
    [
      'a limit that is no number',
      { ...entry({}), limits: { fetchMs: '1' } },
      /`limits\.fetchMs` must be/,
    ],
    [
      'an unknown limit',
      { ...entry({}), limits: { files: 1 } },
      /`files` is not an option of `limits`/,
    ],
  ])('refuses %s', (_, manifest, message) => {
    const parse = (): unknown => parseManifest(JSON.stringify(manifest), 'helix.skills.json');
    expect(parse).toThrow(message);
    expect(parse).toThrow(/^helix\.skills\.json: /);
    expect(parse).toThrow(SkillSyncError);
  });

  it('refuses what is no JSON', () => {
    expect(() => parseManifest('{', 'f')).toThrow(/^f: .*JSON/);
  });
});

describe('helix-skills', () => {
  it.each<[string, string[], RegExp]>([
    ['an unknown option', ['--force'], /Unknown option '--force'/],
    ['an option without a value', ['--out'], /argument missing/],
    ['another word', ['now'], /the command is `helix-skills sync`/],
    [
      'an output that is no module',
      ['--out', 'skills.json'],
      /--out must end in \.ts, \.mts, \.js or \.mjs/,
    ],
    ['one file for two things', ['--lock', 'a.ts', '--out', './a.ts'], /three different files/],
    [
      'a manifest that does not exist',
      ['--manifest', 'absent.json'],
      /absent\.json does not exist\. Write one, as in/,
    ],
    ['a manifest that is a folder', ['--manifest', '.'], /helix-skills: /],
  ])('ends with 2 for %s', async (_, args, message) => {
    const project = openProject();
    expect(await project.sync(...args)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(message),
    });
    expect(project.files()).toEqual({});
  });

  it('shows how it is used', async () => {
    expect(await openProject().sync('--help')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('--check'),
    });
  });
});
