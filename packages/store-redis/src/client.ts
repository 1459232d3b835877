import { DefinitionError } from '@helix-agents/core';

/** What the stores ask of a client: `Redis` and `Cluster` of ioredis have it. The caller connects and disconnects. */
export interface RedisClient {
  call(command: string, args: (string | number)[]): Promise<unknown>;
  readonly options: RedisClientOptions;
}

/** Of these the stores bear only their defaults. */
export interface RedisClientOptions {
  readonly keyPrefix?: string | undefined;
  readonly stringNumbers?: boolean | undefined;
  /** Of a `Cluster`, as the next one. */
  readonly scaleReads?: unknown;
  readonly redisOptions?: { readonly stringNumbers?: boolean | undefined } | undefined;
}

/** What a stream manager needs besides: a connection of its own that listens. */
export interface RedisStreamClient extends RedisClient {
  duplicate(): RedisSubscriber;
}

export interface RedisSubscriber {
  /** Of the connection alone. */
  readonly options: object;
  subscribe(channel: string): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  on(event: 'message', listener: (channel: string, message: string) => void): unknown;
  on(event: 'ready', listener: () => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  disconnect(): void;
}

/** Throws for a client that does something else than the stores send, or answers in another way. */
export function refuseUnfitClient({ options }: RedisClient): void {
  // Some of a script's keys would be renamed and the others not.
  if (options.keyPrefix) {
    throw new DefinitionError(
      `The client renames keys (keyPrefix "${options.keyPrefix}"). Hand in a client without keyPrefix and name the prefix in the store's options: { prefix }.`,
    );
  }
  if (options.stringNumbers || options.redisOptions?.stringNumbers) {
    throw new DefinitionError(
      'The client answers numbers as texts (stringNumbers). Hand in a client without stringNumbers.',
    );
  }
  // A replica may not have yet what was acknowledged.
  if (options.scaleReads !== undefined && options.scaleReads !== 'master') {
    throw new DefinitionError(
      "The cluster's client reads from replicas (scaleReads). Hand in one that reads from masters: leave scaleReads out, or set it to 'master'.",
    );
  }
}
