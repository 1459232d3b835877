import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A program of this folder, running as a process of its own. */
export interface Child {
  readonly pid: number;
  /** Resolves when it prints this line; rejects when it ends before. */
  line(text: string): Promise<void>;
  /** All lines so far. */
  readonly lines: readonly string[];
  say(text: string): void;
  signal(name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
}

export function startChild(
  program: URL,
  args: readonly string[],
  env: { readonly [name: string]: string } = {},
): Child {
  const child = spawn(
    process.execPath,
    ['--conditions=@helix-agents/source', fileURLToPath(program), ...args],
    { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'pipe'] },
  );
  const lines: string[] = [];
  const errors: string[] = [];
  const waiting = new Set<() => void>();
  const wake = (): void => {
    for (const look of waiting) look();
  };
  let rest = '';
  let over = false;
  child.stdout.on('data', (data) => {
    const parts = (rest + String(data)).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
    wake();
  });
  child.stderr.on('data', (data) => errors.push(String(data)));
  const ended = new Promise<number | string>((resolve) => {
    child.on('close', (code, signal) => {
      over = true;
      resolve(signal ?? (code === 0 ? 0 : errors.join('') || (code ?? 'unknown')));
      wake();
    });
  });
  return {
    pid: child.pid ?? 0,
    lines,
    ended,
    say: (text) => void child.stdin.write(`${text}\n`),
    signal: (name) => void child.kill(name),
    line: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (!lines.includes(text) && !over) return;
          waiting.delete(look);
          if (lines.includes(text)) resolve();
          else reject(new Error(`it ended without printing "${text}": ${errors.join('')}`));
        };
        waiting.add(look);
        look();
      }),
  };
}
