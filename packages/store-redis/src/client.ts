import { DefinitionError } from '@helix-agents/core';

/** What the stores need of a client: `Redis` and `Cluster` of ioredis have it. The caller connects and disconnects. */
export interface RedisClient {
  call(command: string, args: (string | number)[]): Promise<unknown>;
  readonly options: RedisClientOptions;
}

/** Options for which the stores accept only the defaults. */
export interface RedisClientOptions {
  readonly keyPrefix?: string | undefined;
  readonly stringNumbers?: boolean | undefined;
  /** Of a `Cluster`, like `redisOptions`. */
  readonly scaleReads?: unknown;
  readonly redisOptions?: { readonly stringNumbers?: boolean | undefined } | undefined;
}

/** A stream manager also needs a connection of its own that listens. */
export interface RedisStreamClient extends RedisClient {
  duplicate(): RedisSubscriber;
}

export interface RedisSubscriber {
  /** The options of this connection only. */
  readonly options: object;
  subscribe(channel: string): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  on(event: 'message', listener: (channel: string, message: string) => void): unknown;
  on(event: 'ready', listener: () => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  disconnect(): void;
}

/** Throws for a client with options that change commands or replies. */
export function refuseUnfitClient(client: RedisClient): void {
  requireClient(client);
  const { options } = client;
  // Keys that a script builds itself would not get the prefix.
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
  // A replica may lag behind acknowledged writes.
  if (options.scaleReads !== undefined && options.scaleReads !== 'master') {
    throw new DefinitionError(
      "The cluster's client reads from replicas (scaleReads). Hand in one that reads from masters: leave scaleReads out, or set it to 'master'.",
    );
  }
}

/** Not said back: a connection string has a password in it. */
function requireClient(client: unknown): void {
  if (typeof client === 'object' && client !== null && 'call' in client && 'options' in client)
    return;
  throw new DefinitionError(
    typeof client === 'string'
      ? 'A client is needed, and a text was given; connect with it: openRedis(new Redis(url)), with Redis of ioredis.'
      : 'A client of ioredis is needed: openRedis(new Redis(url)).',
  );
}
