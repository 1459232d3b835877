// If this fails: a machine without Temporal waits for a build it does not need, or gets half a program.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { buildTemporal, downloadTemporal, TEMPORAL_VERSION } from '../src/obtain-temporal.ts';
import { findTemporalBinary, type Obtain } from '../src/temporal-binary.ts';

let home = '';
let told: string[] = [];
const report = (text: string): void => void told.push(text);

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'helix-temporal-binary-'));
  told = [];
  vi.stubEnv('XDG_CACHE_HOME', home);
  vi.stubEnv('PATH', '');
  return () => {
    vi.unstubAllEnvs();
    rmSync(home, { recursive: true, force: true });
  };
});

const works: Obtain = async (folder) => writeProgram(folder, 'temporal', '#!/bin/sh\n');
const fails: Obtain = async (folder) => {
  writeFileSync(join(folder, 'temporal'), 'half');
  throw new Error('no such host');
};
const isNotNeeded: Obtain = () => Promise.reject(new Error('not needed'));

describe('the program of Temporal', () => {
  it('is the one on PATH, then the one that was kept', async () => {
    const kept = await findTemporalBinary({ ways: [works], report });
    expect(kept).toBe(join(cache(), 'temporal'));
    expect(await findTemporalBinary({ ways: [isNotNeeded], report })).toBe(kept);
    const folder = join(home, 'bin');
    mkdirSync(folder);
    await works(folder, report);
    vi.stubEnv('PATH', folder);
    expect(await findTemporalBinary({ ways: [isNotNeeded], report })).toBe(
      join(folder, 'temporal'),
    );
    expect(told).toEqual([]);
  });

  it('is got the next way when the first fails, which leaves nothing behind', async () => {
    expect(await findTemporalBinary({ ways: [fails, works], report })).toBe(
      join(cache(), 'temporal'),
    );
    expect(readdirSync(cache())).toEqual(['temporal']);
    expect(told).toEqual(['no such host']);
  });

  it('that cannot be had is an error with every reason', async () => {
    await expect(findTemporalBinary({ ways: [fails, isNotNeeded], report })).rejects.toMatchObject({
      name: 'ServerUnavailableError',
      reason: expect.stringContaining('none could be had: no such host; not needed'),
    });
    expect(readdirSync(cache())).toEqual([]);
  });

  it('is unpacked from an archive of the official host', async () => {
    vi.unstubAllEnvs();
    writeProgram(home, 'temporal', 'downloaded');
    spawnSync('tar', ['-czf', 'archive', 'temporal'], { cwd: home });
    const folder = mkdtempSync(join(home, 'new-'));
    await downloadTemporal(folder, report, await hostOf(readFileSync(join(home, 'archive'))));
    expect(readFileSync(join(folder, 'temporal'), 'utf8')).toBe('downloaded');
  });

  it('is not downloaded from a host that refuses', async () => {
    await expect(downloadTemporal(home, report, await hostOf(null))).rejects.toThrow(
      'the official download cannot be reached (status 403)',
    );
  });

  it('is built by Go, which tells how far it is', async () => {
    const bin = join(home, 'bin');
    mkdirSync(bin);
    writeProgram(
      bin,
      'go',
      '#!/bin/sh\necho "$@" >&2\necho package >&2\necho built > "$GOBIN/temporal"\n',
    );
    vi.stubEnv('PATH', [bin, '/bin', '/usr/bin'].join(delimiter));
    await buildTemporal(home, report);
    expect(readFileSync(join(home, 'temporal'), 'utf8')).toBe('built\n');
    expect(told.at(0)).toContain(`temporal@v${TEMPORAL_VERSION} with Go`);
    expect(told.at(-1)).toMatch(/^2 packages compiled in \d+ s$/);
  });
});

function cache(): string {
  return join(home, 'helix-agents', `temporal-${TEMPORAL_VERSION}`);
}

function writeProgram(folder: string, name: string, text: string): void {
  writeFileSync(join(folder, name), text);
  chmodSync(join(folder, name), 0o755);
}

/** A host that answers everything with these bytes, or refuses. */
async function hostOf(archive: Buffer | null): Promise<string> {
  const host = createServer((_, response) => {
    response.statusCode = archive === null ? 403 : 200;
    response.end(archive ?? undefined);
  });
  host.listen(0, '127.0.0.1');
  await once(host, 'listening');
  onTestFinished(() => void host.close());
  return `http://127.0.0.1:${(host.address() as AddressInfo).port}/archive`;
}
