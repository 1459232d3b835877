import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, defaultClientConditions } from 'vite';

const root = join(import.meta.dirname, '..', 'page');

/** The same page on other packages. */
export interface Variant {
  readonly name: string;
  /** Where a package is found instead, as a URL. */
  readonly alias: { readonly [packageName: string]: string };
}

/** Builds the page unless it is as new as what it is made of. Returns where it is. */
export async function buildPage(
  mode: 'production' | 'development' = 'production',
  variant: Variant = { name: '', alias: {} },
): Promise<string> {
  const { name, alias } = variant;
  const outDir = join(import.meta.dirname, '..', 'dist', `${mode}${name && `-${name}`}`);
  const sources = [root, join(import.meta.dirname, '../../../packages/ai-sdk/src')];
  const built = join(outDir, 'index.html');
  if (existsSync(built) && Math.max(...sources.map(newest)) < statSync(built).mtimeMs)
    return outDir;
  await build({
    root,
    mode,
    define: { 'process.env.NODE_ENV': JSON.stringify(mode) },
    base: './',
    logLevel: 'error',
    configFile: false,
    resolve: {
      alias: aliases(alias),
      conditions: ['@helix-agents/source', ...defaultClientConditions],
    },
    build: { outDir, emptyOutDir: true, chunkSizeWarningLimit: 2_000 },
  });
  return outDir;
}

function aliases(alias: Variant['alias']): { find: RegExp; replacement: string }[] {
  return Object.entries(alias).map(([name, url]) => ({
    find: new RegExp(`^${name}$`),
    replacement: fileURLToPath(url),
  }));
}

function newest(path: string): number {
  const found = statSync(path);
  if (!found.isDirectory()) return found.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))));
}
