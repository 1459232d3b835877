import type { StreamNotifier } from '@helix-agents/store-sql';
import { afterThisTurn } from './after-this-turn.ts';
import type { PgResult } from './pg-client.ts';
import type { PgDriver } from './pg-driver.ts';
import { decodeText } from './text-codec.ts';

/** What listening needs: a `pg` Pool with direct connections, not through a pooler. */
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
/** Pause before it listens again: doubled after each failure, up to a maximum. */
const RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;

/** Without fsync, because transactions with a NOTIFY commit one after the other. */
const sendHints = `select set_config('synchronous_commit', 'off', true), pg_notify('${CHANNEL}', id)
  from unnest(?1::text[]) as id where octet_length(id) < 8000`;

/**
 * Wakes readers in other processes by NOTIFY. A hint only names a stream; a lost hint costs the time to the next poll.
 *
 * I1. Hints are not part of a write, because a NOTIFY would make writes commit one after the other. One statement of hints is under way
 *     at a time; hints that are due meanwhile, or in one turn of the event loop, share the next one.
 * I2. The listening connection exists while there are readers, and a moment longer.
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
      // A lost hint is not an error of the write.
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

/** Null when there is no connection, or it cannot listen. */
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

/** A timer that does not keep the process alive, where the platform has that. */
function unref(timer: NodeJS.Timeout): NodeJS.Timeout {
  return typeof timer === 'object' ? timer.unref() : timer;
}
