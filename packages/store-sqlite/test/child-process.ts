import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly output: string;
}

type Script = 'closeReader' | 'holdLock' | 'migrate' | 'storeProcess';

export const scripts: Record<Script, URL> = {
  closeReader: new URL('./children/close-reader.ts', import.meta.url),
  holdLock: new URL('./children/hold-lock.ts', import.meta.url),
  migrate: new URL('./children/migrate.ts', import.meta.url),
  storeProcess: new URL('./children/store-process.ts', import.meta.url),
};

/** Starts a script as a process of its own. */
export function startChild(
  script: URL,
  args: readonly string[],
): { readonly child: ChildProcess; readonly ended: Promise<Ended> } {
  const child = spawn(process.execPath, [
    '--conditions=@helix-agents/source',
    fileURLToPath(script),
    ...args,
  ]);
  let output = '';
  child.stdout.on('data', (data) => (output += String(data)));
  child.stderr.on('data', (data) => (output += String(data)));
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, output }));
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, ended };
}

/** A database file that is gone when the test ends. */
export function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'helix-sqlite-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'agents.db');
}
