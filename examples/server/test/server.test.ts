// If this fails: the README shows curl lines that do not do what it says.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
/** All but the one that starts the server. */
const blocks = [...readme.matchAll(/```sh\n(.*?)```/gs)].map(([, code = '']) => code).slice(1);

async function startServer(): Promise<{
  url: string;
  child: ChildProcess;
  ended: Promise<number | null>;
}> {
  const child = spawn(process.execPath, ['--conditions=@helix-agents/source', main], {
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const ended = new Promise<number | null>((resolve) => {
    child.on('close', resolve);
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  child.stderr.on('data', (data) => (output += String(data)));
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (data) => {
      output += String(data);
      const found = /listening on (\S+)/.exec(output)?.[1];
      if (found) resolve(found);
    });
    child.on('close', () => reject(new Error(output)));
  });
  return { url, child, ended };
}

it('does what its README shows', async () => {
  const { url, child, ended } = await startServer();
  const script = blocks.map((code) => `${code}\necho; echo ----\n`).join('');
  const output = execFileSync('bash', ['-e', '-c', script], {
    encoding: 'utf8',
    timeout: 300_000,
    env: {
      ...process.env,
      SERVER: url,
      PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
    },
  });
  const [, started, stream = '', inbox = '', resumed = '', refused = ''] = output
    .split('----\n')
    .map((part) => part.trim());

  expect(blocks).toHaveLength(6);
  expect(started).toBe('');
  expect(stream).toMatch(/"type":"tool_approval_request".*"toolCallId":"refund"/);
  expect(stream).toMatch(
    /event: end\ndata: .*"runStatus":"suspended_client_tool".*"toolCallIds":\["refund"\]/,
  );
  expect(stream.match(/^id: \d+$/gm)).toEqual(
    Array.from({ length: stream.match(/^id: /gm)!.length }, (_, index) => `id: ${index + 1}`),
  );
  expect(inbox).toContain('"toolName":"refund","input":{"orderId":"17","amount":40}');
  expect(inbox).toContain('{"status":"accepted"}');
  expect(resumed).toContain('"runId"');
  expect(resumed).toContain('"output":"25 are on their way to you."');
  expect(refused).toContain('"code":"UNAUTHENTICATED"');
  expect(refused).toContain('"code":"FORBIDDEN"');
  expect(refused).toContain('"code":"PAYLOAD_TOO_LARGE"');

  child.kill('SIGTERM');
  expect(await ended).toBe(0);
}, 60_000);
