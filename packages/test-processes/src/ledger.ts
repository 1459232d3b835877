import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';

/** One real execution of a tool. */
export interface Execution {
  readonly tool: string;
  readonly key: string;
  readonly pid: number;
}

/** Appends to the file and waits for the disk: what was executed stays known when its process is killed. */
export function recordExecution(file: string, tool: string, key: string): void {
  const descriptor = openSync(file, 'a');
  writeSync(descriptor, `${JSON.stringify({ tool, key, pid: process.pid })}\n`);
  fsyncSync(descriptor);
  closeSync(descriptor);
}

export function readExecutions(file: string): Execution[] {
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return [];
  }
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Execution);
}
