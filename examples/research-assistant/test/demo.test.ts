import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { it } from 'vitest';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const timeout = 90_000;

async function runDemo(
  onTestFinished: (cleanUp: () => void) => void,
  ...args: string[]
): Promise<{ code: number | null; output: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'helix-demo-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const demo = spawn(process.execPath, ['--conditions=@helix-agents/source', main, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TMPDIR: folder, NO_COLOR: '1' },
  });
  onTestFinished(() => void demo.kill());
  let output = '';
  demo.stdout.on('data', (data) => (output += String(data)));
  demo.stderr.on('data', (data) => (output += String(data)));
  const code = await new Promise<number | null>((resolve) => demo.on('close', resolve));
  return { code, output };
}

it.concurrent(
  'is killed in the middle of a tool and finishes without repeating a finished call',
  async ({ expect, onTestFinished }) => {
    const { code, output } = await runDemo(onTestFinished);

    expect(output).toMatch(/kill -9 \d+: in the middle of read_document\(cordouan\)/);
    expect(output).toMatch(/1 {9}1 {2}read_document\(fresnel-lens\)/);
    expect(output).toMatch(/2 {9}1 {2}read_document\(cordouan\)/);
    expect(output).toContain('Nobody to ask here (no terminal), so the demo answers: yes.');
    expect(output).toContain('5 calls had finished before the kill: none was started again');
    expect(output).toContain('✓ published one time, after the yes');
    expect(output).not.toContain('✗');
    expect(output).not.toContain('\u001b[');
    expect(code).toBe(0);
  },
  timeout,
);

it.concurrent(
  'publishes nothing when the answer is no',
  async ({ expect, onTestFinished }) => {
    const { code, output } = await runDemo(onTestFinished, '--deny');

    expect(output).toContain('so the demo answers: no.');
    expect(output).toContain('I have not published it');
    expect(output).toContain('✗ publish_report → Tool call was not approved');
    expect(output).toContain('✓ nothing was published, as you said');
    expect(code).toBe(0);
  },
  timeout,
);
