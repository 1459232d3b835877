import { consoleLogger, DefinitionError, toLogger, type Logger } from '@helix-agents/core';
import { SessionStateStoreFacade } from '@helix-agents/core/state-store';
import type { RedisClient } from './client.ts';
import { DEFAULT_PREFIX, openDatabase, type RedisOptions } from './database.ts';
import { warnAboutDurability } from './durability.ts';
import type { RedisStreamManager } from './redis-stream-manager.ts';
import { createRedisSessionStore } from './session/session-store.ts';

export interface RedisStateStoreOptions extends RedisOptions {
  /** Gets a warning at the start if the server's settings can lose data. The console by default. */
  readonly logger?: Logger;
  /** Streams on the same server with the same prefix: commits then write to them. */
  readonly streams?: RedisStreamManager;
}

/** Sessions in Redis or Valkey, alone or as a cluster, which any number of processes may share. */
export class RedisStateStore extends SessionStateStoreFacade {
  /** Resolves when the server's settings were checked. */
  readonly checked: Promise<void>;

  constructor(client: RedisClient, options: RedisStateStoreOptions = {}) {
    const streams = options.streams?.database;
    if (streams) assertSamePrefix(streams.prefix, options.prefix);
    const store = createRedisSessionStore(openDatabase(client, options, streams));
    super({ sessions: store, index: store });
    this.checked = warnAboutDurability(client, toLogger(options.logger ?? consoleLogger));
  }
}

function assertSamePrefix(ofStreams: string, prefix: string = DEFAULT_PREFIX): void {
  if (ofStreams === prefix) return;
  throw new DefinitionError(
    `The streams have the prefix "${ofStreams}", the store has "${prefix}": name the same for both.`,
  );
}
