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
import { findTemporalBinary } from './temporal-binary.ts';

/** Workflows survive a `kill` on a server that keeps its data. */
export interface TemporalServer extends RestartableServer {
  /** Host and port of its frontend; the namespace is `default`. */
  readonly url: string;
}

export interface TemporalServerOptions {
  /** Keeps its data in a file, so that it survives a `kill`. Default: in memory, which is faster. */
  readonly persistent?: boolean;
  /** Names of Keyword search attributes that its namespace knows. */
  readonly searchAttributes?: readonly string[];
  /** More dynamic settings, as `name=value`. */
  readonly settings?: readonly string[];
}

/** Without these a development server polls its queues 20 times a second, and tests measure that. For tests only. */
const FAST = [
  'history.transferProcessorMaxPollRPS=2000',
  'history.timerProcessorMaxPollRPS=2000',
  'history.timerProcessorMaxTimeShift="10ms"',
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
];

/** A development server of one's own on a free loopback port. */
export async function startTemporal(options: TemporalServerOptions = {}): Promise<TemporalServer> {
  const command = await findTemporalBinary();
  const directory = mkdtempSync(join(tmpdir(), 'helix-temporal-'));
  const port = await freePort();
  const args = ['server', 'start-dev', '--headless', '--ip', '127.0.0.1', '--port', `${port}`];
  const { searchAttributes = [], settings = [] } = options;
  args.push('--log-level', 'error');
  args.push(...[...FAST, ...settings].flatMap((value) => ['--dynamic-config-value', value]));
  args.push(...searchAttributes.flatMap((name) => ['--search-attribute', `${name}=Keyword`]));
  if (options.persistent) args.push('--db-filename', join(directory, 'temporal.db'));
  const start = (): Promise<GuardedProcess> =>
    startGuarded({ command, args, cwd: directory, ready: /^Server: /, directory });
  return startRestartable(directory, { url: `127.0.0.1:${port}` }, start);
}
