// Runs one server. Argument: a GuardedCommand as JSON. First line of stdout: the server's pid; its
// output goes to stderr. A line on stdin is a signal to pass on. When stdin closes the owner is gone:
// the server is ended and its directory deleted.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { GuardedCommand } from './guarded-process.ts';

const ENDS_WITHIN_MS = 60_000;

const { command, args, cwd, uid, gid, env, directory } = JSON.parse(
  process.argv[2] ?? '',
) as GuardedCommand;

const server = spawn(command, args, {
  cwd,
  env: { ...process.env, ...env },
  stdio: ['ignore', 'pipe', 'pipe'],
  ...(uid !== undefined && { uid }),
  ...(gid !== undefined && { gid }),
});
let orphaned = false;

server.stdout.pipe(process.stderr);
server.stderr.pipe(process.stderr);
process.stderr.on('error', () => {});
process.stdout.on('error', () => {});
server.once('spawn', () => process.stdout.write(`${server.pid}\n`));
server.once('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
  process.stdin.destroy();
});
server.once('exit', () => {
  if (orphaned) rmSync(directory, { recursive: true, force: true });
  process.exit();
});

createInterface({ input: process.stdin })
  .on('line', (signal) => end(signal as NodeJS.Signals))
  .on('close', () => {
    orphaned = true;
    end('SIGINT');
  });

function end(signal: NodeJS.Signals): void {
  server.kill(signal);
  setTimeout(() => server.kill('SIGKILL'), ENDS_WITHIN_MS).unref();
}
