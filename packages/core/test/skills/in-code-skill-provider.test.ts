import { describe, expect, it } from 'vitest';
import {
  DefinitionError,
  inCodeSkillProvider,
  skillResourcePath,
  sliceLines,
  type SkillDefinition,
} from '../../src/index.ts';

const refunds: SkillDefinition = {
  name: 'refunds',
  description: 'How to refund an order.',
  body: 'Ask first.',
  resources: { 'references/limits.md': 'one\ntwo\nthré', 'assets/logo.png': { size: 12 } },
};

describe('inCodeSkillProvider', () => {
  it('lists metadata, loads bodies with their resources and reads files', async () => {
    const skills = inCodeSkillProvider([refunds]);
    expect(await skills.listSkills()).toEqual([
      { name: 'refunds', description: 'How to refund an order.' },
    ]);
    expect(await skills.getSkill('refunds')).toMatchObject({
      body: 'Ask first.',
      resources: [
        { path: 'references/limits.md', size: 13, binary: false },
        { path: 'assets/logo.png', size: 12, binary: true },
      ],
    });
    const range = { startLine: 2, endLine: 2 };
    expect(await skills.readResource('refunds', 'references/limits.md', range)).toBe('two');
    expect(await skills.readResource('refunds', './references//limits.md')).toContain('one');
  });

  it('answers null for what is not there, and for a binary file', async () => {
    const skills = inCodeSkillProvider([refunds]);
    expect(await skills.getSkill('__proto__')).toBeNull();
    expect(await skills.readResource('refunds', 'constructor')).toBeNull();
    expect(await skills.readResource('refunds', 'assets/logo.png')).toBeNull();
    expect(await skills.readResource('other', 'references/limits.md')).toBeNull();
  });

  it.each([
    ['a name with capitals', [{ ...refunds, name: 'Refunds' }], 'must be 1 to 64'],
    ['two of one name', [refunds, refunds], 'Two skills are named "refunds"'],
    ['no description', [{ ...refunds, description: ' ' }], 'needs a `description`'],
    ['no body', [{ ...refunds, body: undefined }], 'needs a `body`'],
    ['an unknown option', [{ ...refunds, discription: 'x' }], 'did you mean `description`'],
    ['a resource outside', [{ ...refunds, resources: { '../x': '' } }], 'plain relative path'],
    ['a license that is no text', [{ ...refunds, license: 7 }], '`license` must be a text'],
    ['a compatibility that is no text', [{ ...refunds, compatibility: [] }], '`compatibility`'],
    ['metadata that is a list', [{ ...refunds, metadata: ['a'] }], '`metadata` must be'],
    ['metadata with a number', [{ ...refunds, metadata: { a: 1 } }], '`metadata` must be'],
    ['tools that are a text', [{ ...refunds, allowedTools: 'Read' }], '`allowedTools` must be'],
    ['a text for a flag', [{ ...refunds, disableModelInvocation: 'no' }], 'true or false'],
    ['files that are a list', [{ ...refunds, resources: ['x'] }], '`resources` must be'],
    ['files that are null', [{ ...refunds, resources: null }], '`resources` must be'],
    ['a file without a size', [{ ...refunds, resources: { x: {} } }], 'a text or { size }'],
    ['a size that is a text', [{ ...refunds, resources: { x: { size: '9' } } }], '{ size }'],
    ['no list', { refunds }, 'must be a list'],
    ['no skill', [null], 'must be an object'],
  ])('SKIL-05: refuses %s', (_what, given, message) => {
    const make = () => inCodeSkillProvider(given as unknown as readonly SkillDefinition[]);
    expect(make).toThrow(DefinitionError);
    expect(make).toThrow(message);
  });
});

describe('the path of a skill resource', () => {
  it.each([
    '..',
    '../x',
    'a/../../x',
    '/etc/passwd',
    String.raw`..\x`,
    String.raw`a\b`,
    'C:/x',
    '%2e%2e/x',
    'a/%2E%2E/x',
    'a%2fb',
    'a\0b',
    '',
    '.',
    'a'.repeat(1_025),
    undefined,
  ])('SKIL-01: %j is refused', (path) => {
    expect(skillResourcePath(path)).toBeNull();
  });

  it('is one for one file', () => {
    expect(skillResourcePath('./a//b/./c.md')).toBe('a/b/c.md');
    expect(skillResourcePath('a..b/...')).toBe('a..b/...');
  });
});

describe('a range of lines', () => {
  it.each([
    [{}, 'a\nb\nc'],
    [{ startLine: 2 }, 'b\nc'],
    [{ endLine: 2 }, 'a\nb'],
    [{ startLine: 3, endLine: 1 }, ''],
    [{ startLine: Number.NaN, endLine: Number.NaN }, 'a\nb\nc'],
    [{ startLine: -5, endLine: 1.9 }, 'a'],
    [{ startLine: 2, endLine: Infinity }, 'b\nc'],
    [{ startLine: 9 }, ''],
  ])('SKIL-03: %j is bounded', (range, text) => {
    expect(sliceLines('a\nb\nc', range)).toBe(text);
  });
});
