import type { RedisClient } from './client.ts';
import { withFormat } from './format.ts';
import { createKeys, encodeId, type Keys } from './keys.ts';
import { createSendingNames, type Script, type ScriptArguments } from './script.ts';
import type { StreamSettings } from './stream/stream-words.ts';

export interface RedisOptions {
  /** What all keys begin with; `agent` by default. Stores and streams that belong together have the same. */
  readonly prefix?: string;
  /**
   * Whose clock deadlines, leases and times of rows are on. By default the server's: then processes whose clocks differ
   * agree. `caller` takes the time that is handed in, for tests with a clock of their own.
   */
  readonly clock?: 'server' | 'caller';
}

export const DEFAULT_PREFIX = 'agent';

/** A client, and how its keys are named. */
export interface RedisDatabase {
  readonly client: RedisClient;
  readonly keys: Keys;
  readonly newSending: () => string;
  /** How the streams are kept that its commits may write to. */
  readonly streams: StreamSettings | undefined;
  /** Runs a script on the tree of this root. `now` is the caller's time; reads need none. */
  onTree(
    script: Script,
    rootId: string,
    now: number,
    args?: readonly (string | number)[],
  ): Promise<unknown>;
  /** What the arguments of a script on the tree of this root are put behind. */
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
