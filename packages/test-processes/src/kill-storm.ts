import { isRoot } from '@helix-agents/core/store';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { chance } from './chance.ts';
import { checkSession } from './check-session.ts';
import { startChild } from './child.ts';
import { openStage } from './stage.ts';
import { writeAddress, type StoreAddress } from './store-address.ts';

const worker = new URL('./storm-worker.ts', import.meta.url);
/** A worker lives about this long after it is ready. */
const LIFE_MS = 300;

export interface KillStormOptions {
  readonly address: StoreAddress;
  readonly seconds: number;
  /** It goes on until it killed this often, however slow the machine; 1 by default. */
  readonly leastKills?: number;
  readonly sessions: number;
  readonly seed: number;
  readonly onProgress?: (progress: KillStormProgress) => void;
}

export interface KillStormProgress {
  readonly kills: number;
  readonly seconds: number;
}

export interface KillStormReport {
  readonly kills: number;
  readonly turns: number;
  readonly steps: number;
  /** What did not hold, one line each. */
  readonly faults: readonly string[];
}

/**
 * Lets a worker talk with many sessions in one store, kills it again and again, and in the end lets one finish
 * and checks every session: rows, stream and what was really executed.
 */
export async function killStorm(options: KillStormOptions): Promise<KillStormReport> {
  const { address, seconds, leastKills = 1, sessions, seed, onProgress } = options;
  const folder = mkdtempSync(join(tmpdir(), 'helix-storm-'));
  const ledger = join(folder, 'ledger.jsonl');
  const random = chance(seed);
  const began = Date.now();
  let kills = 0;
  try {
    while (Date.now() - began < seconds * 1_000 || kills < leastKills) {
      const child = startChild(worker, [writeAddress(address), ledger, String(sessions), 'on']);
      try {
        await child.line('ready');
        await wait(LIFE_MS * (0.5 + random()));
      } finally {
        child.signal('SIGKILL');
      }
      const ended = await child.ended;
      if (ended !== 'SIGKILL') throw new Error(`the worker ended by itself: ${ended}`);
      kills += 1;
      onProgress?.({ kills, seconds: (Date.now() - began) / 1_000 });
    }
    const last = startChild(worker, [writeAddress(address), ledger, String(sessions), 'finish']);
    const ended = await last.ended;
    if (ended !== 0) throw new Error(`the last worker did not finish: ${ended}`);
    return await check(address, ledger, sessions, kills);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function check(
  address: StoreAddress,
  ledger: string,
  sessions: number,
  kills: number,
): Promise<KillStormReport> {
  const { stores } = await openStage({ address, ledger });
  const faults: string[] = [];
  let turns = 0;
  let steps = 0;
  for (let index = 1; index <= sessions; index += 1) {
    const checked = await checkSession(stores, ledger, `s${index}`, kills);
    faults.push(...checked.faults.map((fault) => `s${index}: ${fault}`));
    for (const { messages, session } of checked.dump.sessions) {
      steps += messages.filter((message) => message.role === 'assistant').length;
      if (isRoot(session)) {
        turns += messages.filter((message) => message.role === 'user').length;
      }
    }
  }
  stores.close();
  return { kills, turns, steps, faults };
}
