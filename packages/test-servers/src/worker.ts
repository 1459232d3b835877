import type { Miniflare } from 'miniflare';
import type { Rolldown } from 'vite';

/** Before Node's modules are there by default: anything of Node in the bundle fails to load. */
const COMPATIBILITY_DATE = '2026-07-01';

export interface WorkerOptions {
  /** Modules that are replaced by files in the bundle. */
  readonly alias?: Readonly<Record<string, string>>;
  /** The folder of what it stores; by default it is forgotten with the Worker. */
  readonly storedIn?: string;
  /** Of Miniflare. */
  readonly [option: string]: unknown;
}

/** A Worker in workerd whose module is `entry`, bundled as a deploy does it. The caller disposes of it. */
export async function startWorker(
  entry: string,
  { alias = {}, storedIn, ...options }: WorkerOptions = {},
): Promise<Miniflare> {
  const { convertV4MiniflareOptions, Miniflare } = await import('miniflare');
  return new Miniflare({
    ...convertV4MiniflareOptions({
      modules: true,
      script: await bundle(entry, alias),
      compatibilityDate: COMPATIBILITY_DATE,
      cf: false,
      ...options,
    }),
    ...(storedIn !== undefined && { resourcePersistencePath: storedIn }),
  });
}

async function bundle(entry: string, alias: Readonly<Record<string, string>>): Promise<string> {
  const { build } = await import('vite');
  const conditions = ['@helix-agents/source', 'workerd', 'worker', 'module', 'import'];
  const built = await build({
    configFile: false,
    logLevel: 'warn',
    // As wrangler does, for immer.
    define: { 'process.env.NODE_ENV': '"production"' },
    resolve: { conditions, alias },
    build: {
      write: false,
      minify: false,
      target: 'esnext',
      rolldownOptions: { external: /^cloudflare:/ },
      lib: { entry, formats: ['es'], fileName: 'worker' },
    },
  });
  const [{ output }] = built as Rolldown.RolldownOutput[] as [Rolldown.RolldownOutput];
  if (output.length > 1) throw new Error(`${entry} is more than one module`);
  return output[0].code;
}
