import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';

export interface GuardedCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly uid?: number;
  readonly gid?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** The server is up once a line of its output matches. */
  readonly ready: RegExp;
  /** Deleted by the guard when this process dies without stopping the server. */
  readonly directory: string;
}

export interface GuardedProcess {
  /** Of the server itself. */
  readonly pid: number;
  /** Asks it to end, waits until it has. */
  stop(): Promise<void>;
  /** SIGKILL, as a crash would; waits until it is gone. */
  kill(): Promise<void>;
}

const READY_WITHIN_MS = 600_000;

/**
 * Starts a server under a guard, a small process that ends the server when this one is gone,
 * however it went: the guard notices that the pipe to it has closed.
 */
export async function startGuarded(command: GuardedCommand): Promise<GuardedProcess> {
  const guard = spawn(
    process.execPath,
    ['--no-warnings', new URL('guard.ts', import.meta.url).pathname, JSON.stringify(command)],
    // A group of its own: Ctrl-C reaches the owner alone, and the guard through it.
    { stdio: ['pipe', 'pipe', 'pipe'], detached: true },
  );
  const pid = await untilReady(guard, command);
  guard.unref();
  const end = async (signal: 'SIGINT' | 'SIGKILL'): Promise<void> => {
    if (guard.exitCode !== null) return;
    guard.ref();
    const gone = once(guard, 'exit');
    guard.stdin.write(`${signal}\n`);
    await gone;
  };
  return { pid, stop: () => end('SIGINT'), kill: () => end('SIGKILL') };
}

/** A server that can be killed and started again over the same directory. */
export interface RestartableServer {
  readonly pid: number;
  /** SIGKILL, as when it is killed for memory; what it wrote stays. */
  kill(): Promise<void>;
  /** Starts it again on the same port and data, after a `kill`. */
  restart(): Promise<void>;
  /** Ends the server and deletes its directory. */
  stop(): Promise<void>;
}

/** Starts a server over its directory, which is deleted with it, or when it does not start. */
export async function startRestartable<Facts extends object>(
  directory: string,
  facts: Facts,
  start: () => Promise<GuardedProcess>,
): Promise<RestartableServer & Facts> {
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  let process = await start().catch((error: unknown) => {
    remove();
    throw error;
  });
  const server: RestartableServer = {
    get pid() {
      return process.pid;
    },
    kill: () => process.kill(),
    async restart() {
      process = await start();
    },
    async stop() {
      await process.stop();
      remove();
    },
  };
  return Object.assign(server, facts);
}

async function untilReady(
  guard: ChildProcess,
  { command, ready }: GuardedCommand,
): Promise<number> {
  const { stdout, stderr } = guard;
  if (stdout === null || stderr === null) throw new Error('the guard has no output');
  const said: string[] = [];
  const lines = createInterface({ input: stderr });
  return new Promise<number>((resolve, reject) => {
    const fail = (what: string): void => {
      guard.stdin?.end();
      reject(new Error(`${command} ${what}\n${said.join('\n')}`));
    };
    const timer = setTimeout(() => fail(`was not ready in ${READY_WITHIN_MS} ms`), READY_WITHIN_MS);
    let pid = 0;
    stdout.once('data', (text) => (pid = Number(text)));
    guard.once('error', (error) => fail(error.message));
    guard.once('exit', () => fail('ended before it was ready'));
    lines.on('line', (line) => {
      if (said.length < 200) said.push(line);
      if (!ready.test(line)) return;
      clearTimeout(timer);
      guard.removeAllListeners('exit');
      resolve(pid);
    });
  }).finally(() => {
    // Read on and forget: a server that writes into a full pipe stops.
    said.length = 0;
  });
}
