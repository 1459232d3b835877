import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ToolContext } from '@helix-agents/sdk';

/** One line per event: a tool began, or was done. */
export interface LedgerLine {
  readonly event: 'started' | 'finished';
  readonly tool: string;
  readonly about: string;
  /** The idempotency key of the call: the same however often the call is started. */
  readonly key: string;
  readonly pid: number;
}

/** What happened to one call, over all processes. */
export interface LedgerEntry {
  readonly tool: string;
  readonly about: string;
  readonly key: string;
  readonly started: number;
  readonly finished: number;
}

/**
 * Counts how often tools really run. Each one writes a line to a file when it starts and when it is done, behind the
 * engine's back: whatever the engine believes, these are the facts.
 */
export interface Ledger {
  count<T>(
    tool: string,
    about: string,
    context: ToolContext,
    work: () => T | Promise<T>,
  ): Promise<T>;
  /** Calls in the order in which they were first started. */
  read(): LedgerEntry[];
}

export function openLedger(folder: string): Ledger {
  const path = join(folder, 'ledger.jsonl');
  const write = (line: LedgerLine): void => appendFileSync(path, `${JSON.stringify(line)}\n`);
  return {
    async count(tool, about, context, work) {
      const line = { tool, about, key: context.idempotencyKey, pid: process.pid };
      write({ event: 'started', ...line });
      try {
        return await work();
      } finally {
        write({ event: 'finished', ...line });
      }
    },
    read() {
      if (!existsSync(path)) return [];
      const lines = readFileSync(path, 'utf8').trim().split('\n');
      return countCalls(lines.map((line) => JSON.parse(line) as LedgerLine));
    },
  };
}

function countCalls(lines: readonly LedgerLine[]): LedgerEntry[] {
  const calls = new Map<string, LedgerEntry>();
  for (const { event, tool, about, key } of lines) {
    const known = calls.get(key) ?? { tool, about, key, started: 0, finished: 0 };
    calls.set(key, { ...known, [event]: known[event] + 1 });
  }
  return [...calls.values()];
}
