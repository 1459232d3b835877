import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import {
  startGuarded,
  startRestartable,
  type GuardedProcess,
  type RestartableServer,
} from './guarded-process.ts';
import { findRedisBinary } from './redis-binary.ts';

export interface RedisServer extends RestartableServer {
  readonly url: string;
  readonly port: number;
}

export interface RedisServerOptions {
  /** When writes reach the disk; `never` keeps everything in memory. */
  readonly appendfsync?: 'never' | 'everysec' | 'always';
  /** As a node of a cluster. */
  readonly cluster?: boolean;
  /** More settings, as `name value`. */
  readonly settings?: readonly string[];
}

/** Nodes of a cluster talk to each other on a port that is so much higher. */
const CLUSTER_BUS = 10_000;

/** A server of one's own on a free loopback port. */
export async function startRedis(options: RedisServerOptions = {}): Promise<RedisServer> {
  const command = await findRedisBinary();
  const directory = mkdtempSync(join(tmpdir(), 'helix-redis-'));
  const port = await freePort(options.cluster ? { above: CLUSTER_BUS } : {});
  const appendfsync = options.appendfsync ?? 'never';
  const settings = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${directory}`,
    'daemonize no',
    'loglevel notice',
    ...(appendfsync === 'never' ? [] : ['appendonly yes', `appendfsync ${appendfsync}`]),
    ...(options.cluster ? ['cluster-enabled yes', 'cluster-node-timeout 60000'] : []),
    ...(options.settings ?? []),
  ];
  const start = (): Promise<GuardedProcess> =>
    startGuarded({
      command,
      // No snapshots: what survives is what the append-only file holds.
      args: ['--save', '', ...settings.flatMap((setting) => toFlag(setting))],
      cwd: directory,
      ready: /Ready to accept connections/,
      directory,
    });
  const url = `redis://127.0.0.1:${port}`;
  return startRestartable(directory, { url, port }, start);
}

function toFlag(setting: string): string[] {
  const [name = '', ...values] = setting.split(' ');
  return [`--${name}`, ...values];
}
