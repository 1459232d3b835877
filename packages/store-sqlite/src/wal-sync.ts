import { close, fdatasync, open } from 'node:fs';
import { promisify } from 'node:util';

/** Knows which relaxed commits of a database survive a loss of power: the log is written in order, so each sync covers all before it. */
export interface WalSync {
  /** A commit did not wait for the disk. */
  readonly left: () => void;
  /** One has waited. */
  readonly waited: () => void;
  /** Resolves when what was left so far is safe. */
  readonly flush: () => Promise<void>;
}

/** Taken when this module is loaded: a test that fakes timers does not mean this one. */
const afterThisTurn = setImmediate;

/**
 * `sync` brings the whole log to the disk, beside the event loop. It is begun after the turn in which somebody asked: a commit that
 * waits for the disk may come before.
 */
export function createWalSync(sync: () => Promise<void>): WalSync {
  let left = 0;
  let safe = 0;
  let isSyncing = false;
  let waiting: Waiting[] = [];

  const release = (): void => {
    const released = waiting.filter(({ upTo }) => upTo <= safe);
    waiting = waiting.filter(({ upTo }) => upTo > safe);
    for (const { resolve } of released) resolve();
  };
  const run = async (): Promise<void> => {
    while (waiting.length > 0) {
      const upTo = left;
      try {
        await sync();
        safe = Math.max(safe, upTo);
        release();
      } catch (error) {
        const failed = waiting;
        waiting = [];
        for (const { reject } of failed) reject(error);
      }
    }
    isSyncing = false;
  };

  return {
    left: () => {
      left += 1;
    },
    waited: () => {
      safe = left;
      if (waiting.length > 0) release();
    },
    flush: async () => {
      if (safe === left) return;
      const done = new Promise<void>((resolve, reject) => {
        waiting.push({ upTo: left, resolve, reject });
      });
      if (!isSyncing) afterThisTurn(() => void run());
      isSyncing = true;
      await done;
    },
  };
}

interface Waiting {
  readonly upTo: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const openFile = promisify(open);
const syncFile = promisify(fdatasync);
const closeFile = promisify(close);

/** Syncs the log of a database in WAL mode. SQLite locks other files than this one, so that closing it again releases nothing. */
export async function syncLogOf(path: string): Promise<void> {
  const log = await openFile(`${path}-wal`, 'r+').catch(unlessGone);
  if (log === null) return;
  try {
    await syncFile(log);
  } finally {
    await closeFile(log);
  }
}

/** The last connection was closed, which brings the whole log into the database and to the disk. */
function unlessGone(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
