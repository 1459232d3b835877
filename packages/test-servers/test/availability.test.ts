// If this fails: a run without a server passes and has tested nothing, or tests another server than the one that was named.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { freePort, serverCatalogue, ServerUnavailableError } from '../src/index.ts';
import { findPostgresBinaries } from '../src/postgres-binaries.ts';
import { findRedisBinary } from '../src/redis-binary.ts';

afterEach(() => vi.unstubAllEnvs());

describe('a suite whose server cannot be had', () => {
  it('fails and says how to switch it off by name', async () => {
    const outcome = await runSuite(await brokerWithout('no redis-server is installed'), '');
    expect(outcome).toMatchObject({ state: 'fail', exitCode: 1 });
    expect(outcome.errors).toEqual([
      'the tests need redis, which cannot be had: no redis-server is installed\n' +
        'To run without it, say so by name: TEST_WITHOUT=redis npm test',
    ]);
  });

  it('is skipped when it was switched off, among others', async () => {
    const outcome = await runSuite(await brokerWithout('nobody asks'), 'temporal,redis');
    expect(outcome).toEqual({ state: 'skip', exitCode: 0, errors: [] });
  });

  it('is not skipped when another one was', async () => {
    expect(await runSuite(await brokerWithout('gone'), 'postgres')).toMatchObject({
      state: 'fail',
    });
  });
});

describe('the server of a suite', () => {
  it.each([
    ['postgres', 'TEST_PG_URL', 'postgres://somewhere:1/db'],
    ['redis', 'TEST_REDIS_URL', 'redis://somewhere:1'],
    ['temporal', 'TEMPORAL_ADDRESS', 'somewhere:1'],
  ] as const)('%s is the one that %s names', async (name, variable, url) => {
    vi.stubEnv(variable, url);
    const server = await serverCatalogue[name]();
    expect(server.url).toBe(url);
    await server.stop();
  });

  it('Postgres is the first whole one on PATH, before those of the system', () => {
    const [half, first, second] = [
      folderWith('initdb'),
      folderWith('initdb', 'postgres'),
      folderWith('initdb', 'postgres'),
    ];
    vi.stubEnv('PATH', ['', half, first, second].join(delimiter));
    expect(findPostgresBinaries(half)).toBe(first);
    vi.stubEnv('PATH', [second, first].join(delimiter));
    expect(findPostgresBinaries(half)).toBe(second);
  });

  it('Redis is the first on PATH, else that of the system, else Valkey', async () => {
    const [first, second, valkey] = [
      folderWith('redis-server'),
      folderWith('redis-server'),
      folderWith('valkey-server'),
    ];
    vi.stubEnv('PATH', ['', valkey, first].join(delimiter));
    expect(await findRedisBinary({ systemFolders: [second] })).toBe(join(first, 'redis-server'));
    vi.stubEnv('PATH', valkey);
    expect(await findRedisBinary({ systemFolders: [second] })).toBe(join(second, 'redis-server'));
    expect(await findRedisBinary({ systemFolders: [] })).toBe(join(valkey, 'valkey-server'));
  });

  it('Redis is installed where there is none, and named where that fails', async () => {
    vi.stubEnv('PATH', folderWith());
    const folder = folderWith();
    const systemFolders = [folder];
    const refused = findRedisBinary({ systemFolders, install: async () => 'apt said no' });
    await expect(refused).rejects.toThrow(ServerUnavailableError);
    await expect(refused).rejects.toThrow(/TEST_REDIS_URL.*apt said no\n.*TEST_WITHOUT=redis/s);
    const install = async (): Promise<string> => {
      writeProgram(folder, 'redis-server');
      return '';
    };
    expect(await findRedisBinary({ systemFolders, install })).toBe(join(folder, 'redis-server'));
  });
});

it('freePort takes no port for a node of a cluster whose second port is taken', async () => {
  const base = await freePort({ above: 10_000 });
  const taken = await listen(base + 10_000);
  const other = await freePort({ above: 10_000 });
  const chances = [base, other].map((port) => (port - 20_000) / 12_000 + 1e-6);
  const chance = (): number => chances.shift() ?? Math.random();
  expect(await freePort({ above: 10_000, chance })).toBe(other);
  taken.close();
  expect(other).not.toBe(base);
});

interface Outcome {
  readonly state: string;
  readonly exitCode: number;
  readonly errors: readonly string[];
}

async function runSuite(servers: string, without: string): Promise<Outcome> {
  const program = new URL('./children/run-needs-redis.ts', import.meta.url).pathname;
  const env = { ...process.env, TEST_WITHOUT: without };
  const { stdout } = await promisify(execFile)(process.execPath, [program, servers], { env });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Outcome;
}

/** Where test files ask for servers, and there are none. */
async function brokerWithout(reason: string): Promise<string> {
  const broker = createServer((_, response) => {
    response.statusCode = 503;
    response.end(reason);
  });
  onTestFinished(() => void broker.close());
  broker.listen(0, '127.0.0.1');
  await once(broker, 'listening');
  return `http://127.0.0.1:${(broker.address() as AddressInfo).port}`;
}

async function listen(port: number): Promise<Server> {
  const server = createServer();
  onTestFinished(() => void server.close());
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function folderWith(...programs: readonly string[]): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'helix-programs-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const program of programs) writeProgram(folder, program);
  return folder;
}

function writeProgram(folder: string, program: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, program), '#!/bin/sh\n');
  chmodSync(join(folder, program), 0o755);
}
