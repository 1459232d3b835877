import { describe, expect, it } from 'vitest';
import { Integrity } from '../src/bake/integrity.ts';
import { readModule, renderModule } from '../src/bake/module-text.ts';
import { compareBytes, parseTree, repositoryPath } from '../src/git/read-tree.ts';
import { invisiblePlaces, visible } from '../src/visible.ts';

const ID = 'a'.repeat(40);

describe('parseTree', () => {
  it('reads files, links and submodules', () => {
    const output = [
      `100644 blob ${ID}      12\ta b.txt`,
      `120000 blob ${ID}       3\tl`,
      `160000 commit ${ID}       -\ts`,
      '',
    ];
    expect(parseTree(Buffer.from(output.join('\0')))).toEqual([
      { path: 'a b.txt', kind: 'file', id: ID, size: 12 },
      { path: 'l', kind: 'link', id: ID, size: 3 },
      { path: 's', kind: 'submodule', id: ID, size: 0 },
    ]);
  });

  it.each([
    '../x',
    'a/../x',
    '/etc/passwd',
    './x',
    'a//b',
    'a\\b',
    '.git/config',
    'a/.GIT/x',
    'a\nb',
    'x'.repeat(2_000),
  ])('refuses the path %j, even if git passed it on', (path) => {
    expect(() => parseTree(Buffer.from(`100644 blob ${ID} 1\t${path}\0`))).toThrow(
      /A path is refused/,
    );
  });

  it('refuses a path that is not UTF-8', () => {
    const bytes = Buffer.concat([Buffer.from(`100644 blob ${ID} 1\t`), Buffer.from([0xff, 0])]);
    expect(() => parseTree(bytes)).toThrow(/not UTF-8/);
  });
});

describe('repositoryPath', () => {
  it.each([
    ['.', ''],
    ['./a/./b//', 'a/b'],
    ['..', null],
    ['a/..', null],
  ])('makes of %j %j', (path, expected) => {
    expect(repositoryPath(path)).toBe(expected);
  });
});

describe('Integrity', () => {
  const hash = (...files: readonly (readonly [string, string])[]): string => {
    const integrity = new Integrity();
    for (const [path, content] of files) {
      const bytes = Buffer.from(content);
      integrity.begin(path, bytes.length);
      integrity.add(bytes);
    }
    return integrity.finish();
  };

  it('differs where a byte moves from a path to a content, or from a file to the next', () => {
    const hashes = [
      hash(['a', 'bc']),
      hash(['ab', 'c']),
      hash(['abc', '']),
      hash(['a', 'b'], ['c', '']),
      hash(['a', ''], ['b', 'c']),
      hash(['c', ''], ['a', 'b']),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it('is the same for ever', () => {
    expect(hash(['skills/ä', 'x\n'], ['z', ''])).toBe(
      'sha256-R2xj2LyJKnyjIwpdt+zSOAMSelnMmB1be7WoSx428ks=',
    );
  });
});

describe('compareBytes', () => {
  it('orders by bytes, not by the rules of a language or of UTF-16', () => {
    expect(['b', 'B', 'a', '\u{1f600}', '\uffee', 'ä', '_'].toSorted(compareBytes)).toEqual([
      'B',
      '_',
      'a',
      'b',
      'ä',
      '\uffee',
      '\u{1f600}',
    ]);
  });
});

describe('renderModule', () => {
  it.each([
    'plain',
    '`${x}`\\',
    '`\n${x}\n\\`\\\\n\\u0041',
    '\r\n\r\u2028\n\u0000\u001b',
    '"];\nprocess.exit(1);//',
    '"__proto__":\n["__proto__"]:',
    '*/ \n// \n</script>',
    '\u{e0041}\n\u200b\ufeff \u{1f469}\u200d\u{1f4bb}',
    '',
  ])('keeps %j, and readModule reads it', (text) => {
    const skills = [
      {
        name: 'a',
        description: text,
        body: text,
        resources: { [text || 'x']: text, y: { size: 1 } },
      },
    ];
    for (const isTyped of [true, false])
      expect(readModule(renderModule(skills, isTyped))).toEqual(skills);
    const code = renderModule(skills, false).replace(/^[^]*?export const skills =/, 'return');
    // oxlint-disable-next-line typescript/no-implied-eval
    expect(new Function(code)()).toEqual(skills);
  });

  it.each([
    '',
    'export const skills = [];',
    renderModule([], true).replace('[]', '[7]'),
    `${renderModule([], true)}x`,
  ])('wrote no %j', (text) => {
    expect(readModule(text)).toBeNull();
  });
});

describe('visible', () => {
  it.each([
    ['plain äöü 漢字 \t', 'plain äöü 漢字 \t'],
    ['a\u200bb', 'a<U+200B>b'],
    ['\u001b[31m', '<U+001B>[31m'],
    ['a\u0085b\u009b', 'a<U+0085>b<U+009B>'],
    ['\u2067x\u2069', '<U+2067>x<U+2069>'],
    ['\u3164', '<U+3164>'],
    ['a\r\nb', 'a<U+000A>b'],
    ['a\rb', 'a<U+000D>b'],
    [
      '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
      '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
    ],
    ['x\ufe00\ufe01\u{e0100}', 'x<U+FE00><U+FE01><U+E0100>'],
    ['a\ufe0fb 1\ufe0f', 'a<U+FE0F>b 1<U+FE0F>'],
    ['\u2764\ufe0f \u26a0\ufe0e 1\ufe0f\u20e3', '\u2764\ufe0f \u26a0\ufe0e 1\ufe0f\u20e3'],
    ['\u2764\ufe0f\ufe0f', '\u2764\ufe0f<U+FE0F>'],
    ['\u{e000}\u{f0000}', '<U+E000><U+F0000>'],
    ['\u2800\u{1d159}\u{16fe4}\u{13430}', '<U+2800><U+1D159><U+16FE4><U+13430>'],
    ['\ufdd0\u{1ffff}', '<U+FDD0><U+1FFFF>'],
  ])('shows %j as %j', (text, expected) => {
    expect(visible(text)).toBe(expected);
  });

  it('counts what is left after the first places', () => {
    expect(invisiblePlaces(`\ufeffok\n${'\u200b'.repeat(7)}`)).toEqual([
      ...[1, 2, 3, 4, 5].map((column) => `2:${column} U+200B`),
      'and 2 more',
    ]);
  });
});
