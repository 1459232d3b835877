import type { StreamNotifier } from '@helix-agents/store-sql';
import { afterThisTurn } from './after-this-turn.ts';
import type { PgResult } from './pg-client.ts';
import type { PgDriver } from './pg-driver.ts';
import { decodeText } from './text-codec.ts';

/** What listening asks of a client: a `pg` Pool that connects directly, not through a pooler. */
export interface PgListenPool {
  connect(): Promise<PgListenClient>;
  readonly options?: { readonly max?: number | undefined };
}

export interface PgListenClient {
  query(text: string): Promise<PgResult>;
  on(event: 'notification' | 'error' | 'end', listener: (message?: unknown) => void): unknown;
  /** True: the connection is not used again. */
  release(destroy?: boolean): void;
}

export interface StreamHints extends StreamNotifier {
  /** Ends the listening connection. */
  close(): void;
}

const CHANNEL = '__agents_streams';
/** How long a connection is kept for the next reader. */
const LINGER_MS = 1_000;
/** How long it waits before it listens again: twice as long after each failure, up to a bound. */
const RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;

/** Does not wait for the disk: a commit with a NOTIFY keeps all others that have one waiting. */
const sendHints = `select set_config('synchronous_commit', 'off', true), pg_notify('${CHANNEL}', id)
  from unnest(?1::text[]) as id where octet_length(id) < 8000`;

/**
 * Wakes readers in other processes by NOTIFY. A hint says only where to look; one that is lost costs a poll.
 *
 * I1. Hints are no part of the write, which would then hold up the writes of everybody else. One statement of
 *     hints is under way at a time; what is written meanwhile, or in one turn of the event loop, leaves together.
 * I2. The listening connection exists while somebody reads, and a moment longer.
 */
export function createStreamHints(
  local: StreamNotifier,
  driver: PgDriver,
  pool: PgListenPool | undefined,
): StreamHints {
  const listening = pool && createListener(pool, local);
  const due = new Set<string>();
  let sending = false;

  const send = async (): Promise<void> => {
    while (due.size > 0) {
      const ids = [...due];
      due.clear();
      // A hint that could not be sent is not an error of whoever wrote.
      await driver.all({ sql: sendHints, params: [ids] }).catch(() => {});
    }
    sending = false;
  };

  return {
    notify(streamId) {
      local.notify(streamId);
      due.add(streamId);
      if (sending) return;
      sending = true;
      afterThisTurn(() => void send());
    },
    subscribe(streamId, listener) {
      const unsubscribe = local.subscribe(streamId, listener);
      listening?.enter();
      let left = false;
      return () => {
        unsubscribe();
        if (!left) listening?.leave();
        left = true;
      };
    },
    close: () => listening?.close(),
  };
}

interface Listener {
  enter(): void;
  leave(): void;
  close(): void;
}

function createListener(pool: PgListenPool, local: StreamNotifier): Listener {
  let readers = 0;
  let client: Promise<PgListenClient | null> | null = null;
  let linger: NodeJS.Timeout | undefined;
  let retry: NodeJS.Timeout | undefined;
  let retryMs = RETRY_MS;

  const drop = (): void => {
    const old = client;
    client = null;
    void old?.then((one) => one?.release(true));
  };
  const lose = (lost: Promise<PgListenClient | null>): void => {
    if (client !== lost) return;
    drop();
    retry = unref(
      setTimeout(() => {
        retry = undefined;
        listen();
      }, retryMs),
    );
    retryMs = Math.min(2 * retryMs, LONGEST_RETRY_MS);
  };
  const listen = (): void => {
    clearTimeout(linger);
    if (client !== null || retry !== undefined || readers === 0) return;
    const opening: Promise<PgListenClient | null> = open(pool, local, () => lose(opening));
    client = opening;
    void opening.then((one) => {
      if (one === null) lose(opening);
      else retryMs = RETRY_MS;
    });
  };
  return {
    enter() {
      readers += 1;
      listen();
    },
    leave() {
      readers -= 1;
      if (readers > 0) return;
      clearTimeout(linger);
      linger = unref(
        setTimeout(() => {
          if (readers === 0) drop();
        }, LINGER_MS),
      );
    },
    close() {
      clearTimeout(linger);
      clearTimeout(retry);
      retry = undefined;
      readers = 0;
      drop();
    },
  };
}

/** Null when there is no connection to be had now, or it does not listen: then it is not kept. */
async function open(
  pool: PgListenPool,
  local: StreamNotifier,
  onLost: () => void,
): Promise<PgListenClient | null> {
  let client: PgListenClient | undefined;
  try {
    client = await pool.connect();
    client.on('notification', (message) => {
      const { payload } = message as { payload?: string };
      if (payload !== undefined) local.notify(decodeText(payload));
    });
    client.on('error', onLost);
    client.on('end', onLost);
    await client.query(`listen ${CHANNEL}`);
    return client;
  } catch {
    client?.release(true);
    return null;
  }
}

/** A timer that keeps no process alive, where timers know how. */
function unref(timer: NodeJS.Timeout): NodeJS.Timeout {
  return typeof timer === 'object' ? timer.unref() : timer;
}
