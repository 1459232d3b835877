import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { arch, platform } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export const TEMPORAL_VERSION = '1.5.1';

const MODULE = `github.com/temporalio/cli/cmd/temporal@v${TEMPORAL_VERSION}`;
const ARCHIVES = `https://temporal.download/cli/archive/v${TEMPORAL_VERSION}`;
/** How long a host may take to answer. What follows has no limit. */
const ANSWERS_WITHIN_MS = 10_000;
const REPORT_EVERY_MS = 10_000;

type Report = (text: string) => void;

/** The official archive, where its host can be reached. */
export async function downloadTemporal(
  folder: string,
  report: Report,
  archives: string = ARCHIVES,
): Promise<void> {
  const system = new URLSearchParams({
    platform: platform(),
    arch: arch() === 'x64' ? 'amd64' : arch(),
  });
  const body = await request(`${archives}?${system}`);
  report(`downloading ${TEMPORAL_VERSION}`);
  let bytes = 0;
  const counted = body.on('data', (data: Buffer) => (bytes += data.length));
  const file = join(folder, 'temporal.tar.gz');
  await withProgress(
    () => report(`${Math.round(bytes / 1e6)} MB so far`),
    pipeline(counted, createWriteStream(file)),
  );
  await run('tar', ['-xzf', file, '-C', folder, 'temporal'], { cwd: folder });
}

/** Built by Go from its module. */
export async function buildTemporal(folder: string, report: Report): Promise<void> {
  report(`building ${MODULE} with Go, once: this takes minutes`);
  let packages = 0;
  const began = Date.now();
  const tell = (): void =>
    report(`${packages} packages compiled in ${Math.round((Date.now() - began) / 1_000)} s`);
  // With -v Go names each package when it is compiled.
  const env = { ...process.env, CGO_ENABLED: '0', GOBIN: folder };
  const building = run('go', ['install', '-v', MODULE], { cwd: folder, env }, (text) => {
    packages += text.split('\n').length - 1;
  });
  await withProgress(tell, building);
  tell();
}

async function request(url: string): Promise<Readable> {
  const impatience = new AbortController();
  const timer = setTimeout(() => impatience.abort(), ANSWERS_WITHIN_MS);
  try {
    const response = await fetch(url, { signal: impatience.signal });
    if (response.ok && response.body) return Readable.from(response.body);
    throw new Error(`status ${response.status}`);
  } catch (cause) {
    const { message } = cause as Error;
    throw new Error(`the official download cannot be reached (${message})`, { cause });
  } finally {
    clearTimeout(timer);
  }
}

async function withProgress<Result>(tell: () => void, work: Promise<Result>): Promise<Result> {
  const timer = setInterval(tell, REPORT_EVERY_MS);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}

/** Rejects with the last of what the command said. */
async function run(
  command: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv },
  onText: (text: string) => void = () => {},
): Promise<void> {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  const said: string[] = [];
  child.stderr.on('data', (data: Buffer) => {
    said.push(data.toString());
    onText(data.toString());
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${command} failed: ${said.join('').slice(-2_000)}`);
}
