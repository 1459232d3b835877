import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { median, round, type BenchCase, type BenchOptions, type Result } from '../lib/measure.ts';

const root = join(import.meta.dirname, '../..');
const OWN = ['core', 'runtime-js', 'store-sqlite'];

/** What is published: how long it takes to import, how large it is. */
export const cold: BenchCase = {
  name: 'cold',
  async run(options) {
    options.progress('cold: build');
    const { status } = spawnSync('npm', ['run', 'build'], { cwd: root, stdio: 'ignore' });
    // An older output would be measured in its place.
    if (status !== 0) throw new Error('npm run build failed: the built output cannot be measured');
    options.progress('cold: import');
    return [importTime(options), ...(await sizes())];
  },
};

const SCRIPT = `
const t0 = performance.now();
await import('zod'); await import('immer'); await import('node:sqlite');
const t1 = performance.now();
await import('@helix-agents/core'); await import('@helix-agents/runtime-js'); await import('@helix-agents/store-sqlite');
console.log(t1 - t0, performance.now() - t1);`;

function importTime(options: BenchOptions): Result {
  const times: [number, number][] = [];
  for (let count = options.quick ? 5 : 15; count > 0; count -= 1) {
    const args = ['--no-warnings', '--input-type=module', '--eval', SCRIPT];
    // Without the source condition of this process: what is installed from the registry.
    const env = { ...process.env, NODE_OPTIONS: '' };
    const { stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: root,
      env,
      encoding: 'utf8',
    });
    const [others, own] = stdout.trim().split(' ').map(Number);
    if (others === undefined || own === undefined) throw new Error(stderr);
    times.push([others, own]);
  }
  const others = median(times.map(([time]) => time));
  const own = median(times.map(([, time]) => time));
  return {
    case: 'cold',
    name: 'import of core, runtime-js, store-sqlite',
    value: own,
    unit: 'ms',
    target: { atMost: 25 },
    detail: `${filesOf([...OWN, 'store-sql']).length} files with store-sql; over zod, immer and node:sqlite, which take ${round(others)} ms (${round(own / others)} times that); fastest ${round(Math.min(...times.map(([, time]) => time)))} ms`,
  };
}

function filesOf(packages: readonly string[]): string[] {
  return packages.flatMap((name) =>
    globSync(`packages/${name}/dist/**/*.js`, { cwd: root }).toSorted(),
  );
}

async function sizes(): Promise<Result[]> {
  const kilobytes = (
    packages: readonly string[],
  ): { gzip: number; plain: number; files: number } => {
    const files = filesOf(packages);
    const text = files.map((file) => readFileSync(join(root, file), 'utf8')).join('\n');
    return {
      gzip: gzipSync(text, { level: 9 }).length / 1000,
      plain: text.length / 1000,
      files: files.length,
    };
  };
  const own = kilobytes(OWN);
  const withSql = kilobytes([...OWN, 'store-sql']);
  const each = [...OWN, 'store-sql'].map((name) => `${name} ${round(kilobytes([name]).gzip)}`);
  return [
    {
      case: 'cold',
      name: 'own code of core, runtime-js, store-sqlite',
      value: own.gzip,
      unit: 'kB gzip',
      target: { atMost: 40 },
      detail: `${own.files} files with every name as in the source, ${round(own.plain)} kB plain; alone: ${each.join(', ')}; with store-sql ${round(withSql.gzip)}, of which an app that minifies its bundle ships ${round(await minified())}`,
    },
  ];
}

/** What an app's bundler makes of the same three and what they need of ours, without the libraries. */
async function minified(): Promise<number> {
  const entry = 'virtual:own';
  const output = await build({
    root,
    logLevel: 'silent',
    configFile: false,
    plugins: [
      {
        name: 'own',
        resolveId: (id) => (id === entry ? id : null),
        load: (id) =>
          id === entry
            ? OWN.map((name, index) => `export * as p${index} from '@helix-agents/${name}';`).join(
                '\n',
              )
            : null,
      },
    ],
    build: {
      write: false,
      target: 'es2024',
      minify: true,
      rolldownOptions: {
        external: [/^node:/, /^zod/, /^immer/],
        input: entry,
        preserveEntrySignatures: 'strict',
      },
    },
  });
  const bundles = Array.isArray(output) ? output : [output];
  const chunks = bundles.flatMap((bundle) => ('output' in bundle ? bundle.output : []));
  const code = chunks.map((chunk) => (chunk.type === 'chunk' ? chunk.code : '')).join('');
  return gzipSync(code, { level: 9 }).length / 1000;
}
