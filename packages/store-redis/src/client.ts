import { DefinitionError } from '@helix-agents/core';

/** What the stores ask of a client: `Redis` and `Cluster` of ioredis have it. The caller connects and disconnects. */
export interface RedisClient {
  call(command: string, args: (string | number)[]): Promise<unknown>;
  readonly options: { readonly keyPrefix?: string | undefined };
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

/** A client that renames keys would rename some of a script's keys and not the others. */
export function refuseKeyPrefix(client: RedisClient): void {
  if (!client.options.keyPrefix) return;
  throw new DefinitionError(
    `The client renames keys (keyPrefix "${client.options.keyPrefix}"). Hand in a client without keyPrefix and name the prefix in the store's options: { prefix }.`,
  );
}
