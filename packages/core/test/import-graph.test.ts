// If this fails, core no longer runs in Workers, or the loop no longer runs in a sandbox that has
// nothing but the ES language. Types are erased before the graph is walked: only what is loaded counts.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { isBuiltin, stripTypeScriptTypes } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { init, parse } from 'es-module-lexer';
import { beforeAll, describe, expect, it } from 'vitest';

const source = join(import.meta.dirname, '..', 'src');

interface ImportGraph {
  /** Files reached, relative to `src`. */
  readonly files: readonly string[];
  /** Everything else that is imported, as `file -> specifier`. */
  readonly external: readonly { file: string; specifier: string }[];
}

describe('the import graph of core', () => {
  beforeAll(async () => {
    await init;
  });

  it('reaches no node builtin from its main entry', () => {
    const { external } = walk('index.ts');
    expect(external.filter(({ specifier }) => isBuiltin(specifier))).toEqual([]);
  });

  it.each(['index.ts', 'host.ts', 'state-store.ts', 'store.ts'])(
    'depends on zod and immer alone in %s',
    (entry) => {
      const { external } = walk(entry);
      const allowed = /^(zod|immer)(\/|$)/;
      expect(external.filter(({ specifier }) => !allowed.test(specifier))).toEqual([]);
    },
  );

  it.each(['host.ts', 'state-store.ts', 'store.ts'])('reaches no node builtin from %s', (entry) => {
    const { external } = walk(entry);
    expect(external.filter(({ specifier }) => isBuiltin(specifier))).toEqual([]);
  });

  it('goes down the layers only: a folder loads nothing from a folder at or after its own place', () => {
    const upward = sourceFiles().flatMap((file) => {
      const own = layerOf(file);
      return loadedBy(join(source, file))
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => join(dirname(file), specifier).replaceAll('\\', '/'))
        .filter((target) => folderOf(target) !== folderOf(file) && layerOf(target) >= own)
        .map((target) => `${file} -> ${target}`);
    });
    expect(upward).toEqual([]);
  });

  it('reaches only the loop itself from the loop entry', () => {
    const { files, external } = walk('loop.ts');
    expect(files.filter((file) => file !== 'loop.ts' && !file.startsWith('loop/'))).toEqual([]);
    expect(external).toEqual([]);
  });
});

/** The folders of core, lowest first. What is in none of them is an entry, above all. */
const LAYERS = [
  'errors',
  'util',
  '',
  'messages',
  'state',
  'stream',
  'usage',
  'store',
  'trace',
  'capability',
  'skills/frontmatter',
  'skills',
  'define',
  'llm',
  'llm/cache',
  'remote',
  'loop',
  'engine',
  'engine/memory',
  'engine/rows',
  'engine/announce',
  'engine/hooks',
  'engine/capabilities',
  'engine/claim',
  'engine/children',
  'engine/human',
  'engine/step',
  'host',
  'client',
  'state-store',
];
const ENTRIES = new Set(['index.ts', 'host.ts', 'loop.ts', 'state-store.ts', 'store.ts']);

function folderOf(file: string): string {
  const folder = dirname(file).replaceAll('\\', '/');
  return folder === '.' ? '' : folder;
}

function layerOf(file: string): number {
  if (ENTRIES.has(file)) return LAYERS.length + (file === 'loop.ts' ? 0 : 1);
  const layer = LAYERS.indexOf(folderOf(file));
  if (layer === -1) throw new Error(`${file} is in a folder without a place among LAYERS`);
  return layer;
}

function sourceFiles(): string[] {
  return globSync('**/*.ts', { cwd: source }).map((file) => file.replaceAll('\\', '/'));
}

function walk(entry: string): ImportGraph {
  const files = new Set<string>();
  const external: { file: string; specifier: string }[] = [];
  const queue = [join(source, entry)];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    const file = relative(source, path).replaceAll('\\', '/');
    if (files.has(file)) continue;
    files.add(file);
    for (const specifier of loadedBy(path)) {
      if (specifier.startsWith('.')) queue.push(join(dirname(path), specifier));
      else external.push({ file, specifier });
    }
  }
  return { files: [...files].toSorted(), external };
}

function loadedBy(path: string): string[] {
  if (!existsSync(path)) throw new Error(`${relative(source, path)} does not exist`);
  const [imports] = parse(stripTypeScriptTypes(readFileSync(path, 'utf8')), path);
  // `d === -2` is import.meta. A dynamic import of an expression has no name, and none is allowed.
  return imports.filter((found) => found.d !== -2).map((found) => found.n ?? '<computed>');
}
