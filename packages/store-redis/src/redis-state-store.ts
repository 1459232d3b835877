import { consoleLogger, SessionStateStoreFacade, type Logger } from '@helix-agents/core';
import type { RedisClient } from './client.ts';
import { openDatabase, type RedisOptions } from './database.ts';
import { warnAboutDurability } from './durability.ts';
import { createRedisSessionStore } from './session/session-store.ts';

export interface RedisStateStoreOptions extends RedisOptions {
  /** Hears once, at the start, when the server may lose data. The console by default. */
  readonly logger?: Logger;
}

/** The state of sessions in Redis or Valkey, alone or as a cluster; any number of processes may share it. */
export class RedisStateStore extends SessionStateStoreFacade {
  /** Settled once the server's settings were looked at. */
  readonly checked: Promise<void>;

  constructor(client: RedisClient, options: RedisStateStoreOptions = {}) {
    const store = createRedisSessionStore(openDatabase(client, options));
    super({ sessions: store, index: store });
    this.checked = warnAboutDurability(client, options.logger ?? consoleLogger);
  }
}
