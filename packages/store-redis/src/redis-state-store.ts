import { consoleLogger, DefinitionError, type Logger } from '@helix-agents/core';
import { SessionStateStoreFacade } from '@helix-agents/core/store';
import type { RedisClient } from './client.ts';
import { DEFAULT_PREFIX, openDatabase, type RedisOptions } from './database.ts';
import { warnAboutDurability } from './durability.ts';
import type { RedisStreamManager } from './redis-stream-manager.ts';
import { createRedisSessionStore } from './session/session-store.ts';

export interface RedisStateStoreOptions extends RedisOptions {
  /** Hears once, at the start, when the server may lose data. The console by default. */
  readonly logger?: Logger;
  /** Streams on the same server with the same prefix: a commit then says there itself what it makes true. */
  readonly streams?: RedisStreamManager;
}

/** The state of sessions in Redis or Valkey, alone or as a cluster; any number of processes may share it. */
export class RedisStateStore extends SessionStateStoreFacade {
  /** Settled once the server's settings were looked at. */
  readonly checked: Promise<void>;

  constructor(client: RedisClient, options: RedisStateStoreOptions = {}) {
    const streams = options.streams?.database;
    if (streams) assertSamePrefix(streams.prefix, options.prefix);
    const store = createRedisSessionStore(openDatabase(client, options, streams));
    super({ sessions: store, index: store });
    this.checked = warnAboutDurability(client, options.logger ?? consoleLogger);
  }
}

function assertSamePrefix(ofStreams: string, prefix: string = DEFAULT_PREFIX): void {
  if (ofStreams === prefix) return;
  throw new DefinitionError(
    `The streams have the prefix "${ofStreams}", the store has "${prefix}": name the same for both.`,
  );
}
