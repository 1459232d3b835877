import { SqlStreamStore } from '@helix-agents/store-sql';
import { checkD1Options, connectD1, type D1Options } from './d1-connection.ts';

export interface D1StreamOptions extends D1Options {
  /** How often a waiting reader looks for chunks of other isolates; 500 by default. Each look is a query. */
  readonly pollMs?: number;
  readonly now?: () => number;
}

/** Chunk logs in a D1 database. Readers in the isolate that writes are notified at once; others poll. */
export class D1StreamManager extends SqlStreamStore {
  constructor(options: D1StreamOptions) {
    checkD1Options(options, ['pollMs', 'now']);
    const { driver, notifier } = connectD1(options);
    const { pollMs = 500, now } = options;
    super(driver, { notifier, pollMs, ...(now && { now }) });
  }

  /** Ends all readers. The streams do not change. */
  close(): void {
    this.closeReaders();
  }
}
