// All three terminals in one: a worker, a question, then the worker is killed and another one takes the approval.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const folder = mkdtempSync(join(tmpdir(), 'helix-temporal-example-'));
const env = {
  ...process.env,
  DATABASE: join(folder, 'agents.db'),
  TASK_QUEUE: `refunds-${process.pid}`,
};

function start(file: string): ChildProcess {
  const path = new URL(file, import.meta.url).pathname;
  const args = ['--no-warnings', ...process.execArgv, path];
  return spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
}

async function startWorker(): Promise<ChildProcess> {
  const worker = start('worker.ts');
  const lines = createInterface({ input: worker.stdout as NonNullable<typeof worker.stdout> });
  const ready = Promise.withResolvers<void>();
  lines.on('line', (line) => {
    console.log(line);
    if (line.includes('ready')) ready.resolve();
  });
  worker.once('exit', () => ready.reject(new Error('the worker ended')));
  await ready.promise;
  worker.removeAllListeners('exit');
  return worker;
}

async function run(file: string): Promise<void> {
  const client = start(file);
  client.stdout?.pipe(process.stdout, { end: false });
  const [code] = (await once(client, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${file} failed`);
}

async function end(worker: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const gone = once(worker, 'exit');
  worker.kill(signal);
  await gone;
}

console.log('1. A worker, and somebody asks.');
const first = await startWorker();
await run('ask.ts');
console.log('2. The worker dies. The session waits in the database, no workflow runs.');
await end(first, 'SIGKILL');
console.log('3. Another worker, and somebody approves.');
const second = await startWorker();
await run('approve.ts');
await end(second, 'SIGTERM');
rmSync(folder, { recursive: true, force: true });
