import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { WorkerArguments } from './worker/main.ts';

/** A worker in a process of its own. */
export interface WorkerProcess {
  /** Resolves when these sessions stand where they are held. */
  held(sessionIds: readonly string[]): Promise<void>;
  /** Resolves when the models of these sessions were told to stop. */
  cut(sessionIds: readonly string[]): Promise<void>;
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
}

const PATIENCE_MS = 300_000;

export async function startWorker(given: WorkerArguments): Promise<WorkerProcess> {
  const program = new URL('worker/main.ts', import.meta.url).pathname;
  const child = spawn(
    process.execPath,
    ['--conditions=@helix-agents/source', '--no-warnings', program, JSON.stringify(given)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const said = new Set<string>();
  createInterface({ input: child.stdout }).on('line', (line) => said.add(line));
  const says = (word: string, ids: readonly string[]): Promise<void> =>
    until(
      child,
      said,
      ids.map((id) => `${word} ${id}`),
    );
  await until(child, said, ['ready']);
  return {
    held: (ids) => says('held', ids),
    cut: (ids) => says('cut', ids),
    async end(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill(signal);
      await gone;
    },
  };
}

async function until(
  child: ChildProcess,
  said: ReadonlySet<string>,
  lines: readonly string[],
): Promise<void> {
  const giveUpAt = Date.now() + PATIENCE_MS;
  for (;;) {
    const missing = lines.filter((line) => !said.has(line));
    if (missing.length === 0) return;
    if (child.exitCode !== null || child.signalCode !== null || Date.now() > giveUpAt) {
      throw new Error(
        `the worker did not say: ${missing.join(', ')}; it said ${[...said].join(', ')}`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
