// If this fails: the two commands of the README do not do what it says.
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  readonly output: () => string;
}

function start(file: string, env: { readonly [name: string]: string }): Started {
  const path = fileURLToPath(new URL(`../src/${file}`, import.meta.url));
  const child = spawn(process.execPath, ['--conditions=@helix-agents/source', path], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data) => (output += String(data)));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return { child, ended, output: () => output };
}

async function listening({ child, output, ended }: Started): Promise<string> {
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', () => {
      const url = /listening on (\S+)/.exec(output())?.[1];
      if (url) resolve(url);
    });
    void ended.then(() => reject(new Error(output())));
  });
}

it('examples/client-tools: a client runs the tools of an agent on a server, as the README says', async () => {
  expect(readme.match(/^npm .*$/gm)).toEqual([
    'npm start -w examples/client-tools',
    'npm run client -w examples/client-tools',
  ]);
  const server = start('server.ts', { PORT: '0' });
  const client = start('client.ts', { SERVER: await listening(server), TZ: 'Europe/Lisbon' });
  const code = await client.ended;
  expect(client.output()).toContain('the agent asks for list_files');
  expect(client.output()).toContain('refused, the call is still open: INVALID_RESULT');
  expect(client.output()).toContain('the agent asks for read_clock');
  expect(client.output().match(/answered: accepted/g)).toHaveLength(2);
  expect(client.output()).toContain('the agent says: You have 3 papers, in Europe/Lisbon.');
  expect(client.output()).toContain('the run ended: completed');
  expect(code).toBe(0);
  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);
}, 60_000);
