import type { Miniflare } from 'miniflare';
import type { Rolldown } from 'vite';

/** Before Node's modules are there by default: anything of Node in the bundle fails to load. */
const COMPATIBILITY_DATE = '2026-07-01';

/** A Worker in workerd whose module is `entry`, bundled as a deploy does it. The caller disposes of it. */
export async function startWorker(
  entry: string,
  options: Readonly<Record<string, unknown>> = {},
): Promise<Miniflare> {
  const { convertV4MiniflareOptions, Miniflare } = await import('miniflare');
  return new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: await bundle(entry),
      compatibilityDate: COMPATIBILITY_DATE,
      cf: false,
      ...options,
    }),
  );
}

async function bundle(entry: string): Promise<string> {
  const { build } = await import('vite');
  const conditions = ['@helix-agents/source', 'workerd', 'worker', 'module', 'import'];
  const built = await build({
    configFile: false,
    logLevel: 'warn',
    // As wrangler does, for immer.
    define: { 'process.env.NODE_ENV': '"production"' },
    resolve: { conditions },
    build: {
      write: false,
      minify: false,
      target: 'esnext',
      lib: { entry, formats: ['es'], fileName: 'worker' },
    },
  });
  const [{ output }] = built as Rolldown.RolldownOutput[] as [Rolldown.RolldownOutput];
  if (output.length > 1) throw new Error(`${entry} is more than one module`);
  return output[0].code;
}
