// If this fails: `npm start` does not show what the README says it shows.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

it(
  'plays a trip over a killed server when nobody sits at the terminal',
  { timeout: 300_000 },
  async () => {
    const demo = spawn(process.execPath, ['--conditions=@helix-agents/source', main], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ANTHROPIC_API_KEY: '', OPENAI_API_KEY: '', NODE_ENV: 'production' },
    });
    onTestFinished(() => void demo.kill());
    let output = '';
    demo.stdout.on('data', (data) => (output += String(data)));
    demo.stderr.on('data', (data) => (output += String(data)));
    const code = await new Promise((resolve) => demo.on('close', resolve));
    expect([code, output]).toEqual([
      0,
      expect.stringContaining('a page opened now shows the same ✓'),
    ]);
    expect(output).toContain('in the middle of search_flights');
    expect(output).toContain('The server died.');
  },
);
