import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServerUnavailableError } from './errors.ts';
import { freePort } from './free-port.ts';
import {
  startGuarded,
  startRestartable,
  type GuardedProcess,
  type RestartableServer,
} from './guarded-process.ts';
import { findPostgresBinaries } from './postgres-binaries.ts';

export interface PostgresServer extends RestartableServer {
  /** Of the database `postgres`, as a superuser. */
  readonly url: string;
  readonly port: number;
  /** Where its data is. */
  readonly directory: string;
}

export interface PostgresServerOptions {
  /** Waits for the disk as in production. Without it a crash of the machine loses data, not of the server. */
  readonly fsync?: boolean;
  /** `npm` looks past what the system has. */
  readonly binaries?: 'any' | 'npm';
  /** More settings, as `name=value`. */
  readonly settings?: readonly string[];
}

/** Root may not run Postgres: `nobody` does then. */
const UNPRIVILEGED = { uid: 65_534, gid: 65_534 };

/** A server of one's own on a free loopback port, from whatever binaries there are. */
export async function startPostgres(options: PostgresServerOptions = {}): Promise<PostgresServer> {
  const directory = mkdtempSync(join(tmpdir(), 'helix-postgres-'));
  try {
    const bin = findPostgresBinaries(directory, options.binaries);
    const user = process.getuid?.() === 0 ? UNPRIVILEGED : {};
    const port = await freePort();
    const data = createCluster(directory, bin, user);
    const settings = [
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      'max_connections=200',
      `fsync=${options.fsync === true ? 'on' : 'off'}`,
      ...(options.settings ?? []),
    ];
    const start = (): Promise<GuardedProcess> =>
      startGuarded({
        command: join(bin, 'postgres'),
        args: ['-D', data, '-p', `${port}`, ...settings.flatMap((setting) => ['-c', setting])],
        cwd: directory,
        ...user,
        ready: /ready to accept connections/,
        directory,
      });
    const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
    return await startRestartable(directory, { url, port, directory }, start);
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    throw error;
  }
}

function createCluster(
  directory: string,
  bin: string,
  user: { readonly uid?: number; readonly gid?: number },
): string {
  const data = join(directory, 'data');
  mkdirSync(data, { mode: 0o700 });
  chmodSync(directory, 0o755);
  if (user.uid !== undefined && user.gid !== undefined) chownSync(data, user.uid, user.gid);
  const { status, stderr, error } = spawnSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    { ...user, cwd: directory, encoding: 'utf8' },
  );
  if (status === 0) return data;
  throw new ServerUnavailableError(
    'postgres',
    `initdb in ${bin} failed: ${error?.message ?? stderr}`,
  );
}
