import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describeServer, sharedServerUrl } from '@helix-agents/test-servers';
import { beforeAll, expect, it, onTestFinished } from 'vitest';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

describeServer('temporal', () => {
  let address: string;
  beforeAll(async () => {
    address = await sharedServerUrl('temporal');
  }, 20 * 60_000);

  it('is approved after the worker that asked has died', async () => {
    const demo = spawn(process.execPath, ['--conditions=@helix-agents/source', main], {
      env: { ...process.env, TEMPORAL_ADDRESS: address },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => void demo.kill());
    let output = '';
    demo.stdout.on('data', (data) => (output += String(data)));
    demo.stderr.on('data', (data) => (output += String(data)));
    const code = await new Promise<number | null>((resolve) => demo.on('close', resolve));
    expect(output).toContain('agent: may I refund {"order":"42","amount":120}?');
    expect(output).toContain('is suspended_client_tool');
    expect(output).toContain('client: approved refund {"order":"42","amount":120}: accepted');
    expect(output.match(/worker: paid 120 back/g)).toHaveLength(1);
    expect(output).toContain('client: Ada has her 120 back.');
    expect(code).toBe(0);
  });
});
