import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface WorkerProcess {
  readonly pid: number;
  /** Ends it at once, without a chance to save anything. Resolves when it is gone. */
  kill(): Promise<void>;
  /** Resolves when it has ended well; rejects when it has not. */
  readonly done: Promise<void>;
}

const script = fileURLToPath(new URL('worker.ts', import.meta.url));

/** Starts `worker.ts` in a process of its own. */
export function startWorker(folder: string, task: 'start' | 'take-over' | 'resume'): WorkerProcess {
  const child = spawn(process.execPath, [...process.execArgv, script, folder, task], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const killWithParent = (): void => void child.kill('SIGKILL');
  process.on('exit', killWithParent);
  const exited = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => {
      process.off('exit', killWithParent);
      resolve(code);
    });
  });
  let killed = false;
  const done = exited.then((code) => {
    if (code !== 0 && !killed) throw new Error(`A worker (${task}) ended with code ${code}.`);
  });
  // Whoever follows the stream hears of it too.
  done.catch(() => undefined);
  return {
    pid: child.pid ?? 0,
    done,
    async kill() {
      killed = true;
      child.kill('SIGKILL');
      await exited;
    },
  };
}
