import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const noKeys = { ANTHROPIC_API_KEY: '', OPENAI_API_KEY: '' };

/** Runs the demo as `npm run demo` does, without a terminal and with no key but those of `environment`. */
export async function runDemo(
  onTestFinished: (cleanUp: () => void) => void,
  options: { args?: readonly string[]; environment?: NodeJS.ProcessEnv } = {},
): Promise<{ code: number | null; output: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'helix-demo-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const command = ['--conditions=@helix-agents/source', main, ...(options.args ?? [])];
  const demo = spawn(process.execPath, command, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...noKeys, TMPDIR: folder, NO_COLOR: '1', ...options.environment },
  });
  onTestFinished(() => void demo.kill());
  let output = '';
  demo.stdout.on('data', (data) => (output += String(data)));
  demo.stderr.on('data', (data) => (output += String(data)));
  const code = await new Promise<number | null>((resolve) => demo.on('close', resolve));
  return { code, output };
}
