import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { build, defaultClientConditions } from 'vite';

const root = join(import.meta.dirname, '..', 'page');

/** Builds the page unless it is as new as what it is made of. Returns where it is. */
export async function buildPage(
  mode: 'production' | 'development' = 'production',
): Promise<string> {
  const outDir = join(import.meta.dirname, '..', 'dist', mode);
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
    resolve: { conditions: ['@helix-agents/source', ...defaultClientConditions] },
    build: { outDir, emptyOutDir: true, chunkSizeWarningLimit: 2_000 },
  });
  return outDir;
}

function newest(path: string): number {
  const found = statSync(path);
  if (!found.isDirectory()) return found.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))));
}
