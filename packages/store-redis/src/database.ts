import type { RedisClient } from './client.ts';
import { withFormat } from './format.ts';
import { createKeys, encodeId, type Keys } from './keys.ts';
import { createSendingNames, type Script, type ScriptArguments } from './script.ts';
import type { StreamSettings } from './stream/stream-words.ts';

export interface RedisOptions {
  /** Prefix of all keys; `agent` by default. Stores and streams that belong together have the same. */
  readonly prefix?: string;
  /**
   * The clock for deadlines, leases and times of rows. By default that of the server, so that processes whose clocks differ agree.
   * `caller` uses the times that are passed in, for tests with a manual clock.
   */
  readonly clock?: 'server' | 'caller';
}

export const DEFAULT_PREFIX = 'agent';

/** A client, and how its keys are named. */
export interface RedisDatabase {
  readonly client: RedisClient;
  readonly keys: Keys;
  readonly newSending: () => string;
  /** The settings of the streams that its commits write to. */
  readonly streams: StreamSettings | undefined;
  /** Runs a script on the tree of this root. `now` is the caller's time, 0 for reads. */
  onTree(
    script: Script,
    rootId: string,
    now: number,
    args?: readonly (string | number)[],
  ): Promise<unknown>;
  /** The first arguments of a script on the tree of this root, to which the caller adds. */
  begin(script: Script, rootId: string, now: number): ScriptArguments;
  /** Runs a script on each partition. */
  onAreas(
    script: Script,
    now: number,
    args: readonly (string | number)[],
  ): Promise<readonly unknown[]>;
}

export function openDatabase(
  given: RedisClient,
  options: RedisOptions = {},
  streams?: StreamSettings,
): RedisDatabase {
  const prefix = options.prefix ?? DEFAULT_PREFIX;
  const client = withFormat(given, prefix);
  const keys = createKeys(prefix);
  const clock = options.clock ?? 'server';
  const begin = (script: Script, rootId: string, now: number): ScriptArguments => {
    const area = keys.areaOf(rootId);
    const root = encodeId(rootId);
    const args = script.begin(`${area}:${root}`);
    args.push(area, root, `${now}`, clock);
    return args;
  };
  return {
    client,
    keys,
    newSending: createSendingNames(),
    streams,
    begin,
    onTree: (script, rootId, now, args = []) => {
      const all = begin(script, rootId, now);
      all.push(...args);
      return script.send(client, all);
    },
    onAreas: (script, now, args) =>
      Promise.all(
        keys.areas.map((area) => script.run(client, area, [area, '', now, clock, ...args])),
      ),
  };
}
