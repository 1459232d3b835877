import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';

export interface RunningServer {
  readonly url: string;
  readonly model: string;
  /** No provider answers: the conversation is known. */
  readonly scripted: boolean;
  /** Of the process that serves now. */
  pid(): number | undefined;
  close(): Promise<void>;
}

interface Ready {
  readonly port: number;
  readonly model: string;
  readonly scripted: boolean;
}

/** Keeps one server process alive: when it dies, another one takes its place on the same port. */
export async function superviseServer(
  database: string,
  pageFolder: string,
  onRestart: (pid: number | undefined) => void = () => undefined,
  port = 0,
): Promise<RunningServer> {
  let closing = false;
  const begin = (at: number): ChildProcess =>
    fork(join(import.meta.dirname, 'server.ts'), [database, pageFolder, String(at)], {
      execArgv: ['--conditions=@helix-agents/source', '--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
  let child = begin(port);
  const ready = await readyOf(child);
  const again = (): void => {
    if (closing) return;
    child = begin(ready.port);
    onRestart(child.pid);
    child.once('exit', again);
  };
  child.once('exit', again);
  return {
    url: `http://127.0.0.1:${ready.port}/`,
    model: ready.model,
    scripted: ready.scripted,
    pid: () => child.pid,
    async close() {
      closing = true;
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => void child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function readyOf(child: ChildProcess): Promise<Ready> {
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as Ready));
    child.once('exit', (code) =>
      reject(new Error(`The server ended before it was ready (${code}).`)),
    );
  });
}
