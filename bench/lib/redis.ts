import { noopLogger } from '@helix-agents/core';
import { openRedis } from '@helix-agents/store-redis';
import { startRedis } from '@helix-agents/test-servers';
import { Redis } from 'ioredis';
import { clockOfServer } from './server-cpu.ts';
import type { RawServer, ServerPlace } from './server-place.ts';

/** A server of its own that writes to disk each second, or with every write. */
export async function redisPlace(appendfsync: 'everysec' | 'always'): Promise<ServerPlace> {
  const server = await startRedis({ appendfsync });
  const raw = new Redis(server.url);
  const share = { atLeast: 0.8 };
  return {
    name: `redis ${appendfsync}`,
    raw: rawRedis(raw),
    targets: { step1: share, step16: share, call: share, tailP50: { atMost: 1.5 } },
    serverClock: clockOfServer(server.pid),
    async bytesWritten() {
      return Number(/^aof_current_size:(\d+)/m.exec(await raw.info('persistence'))?.[1]);
    },
    open() {
      const client = new Redis(server.url);
      const opened = openRedis(client, { logger: noopLogger });
      return {
        ...opened,
        close() {
          opened.close();
          client.disconnect();
        },
      };
    },
    async close() {
      raw.disconnect();
      await server.stop();
    },
  };
}

/** One script per commit: version check, session hash, messages; at the end of a step its checkpoint. */
function rawRedis(client: Redis): RawServer {
  const change = `
      if (redis.call('HGET', KEYS[1], 'version') or '0') ~= ARGV[1] then return 0 end
      redis.call('HSET', KEYS[1], 'version', ARGV[1] + 1, 'status', 'running', 'state', '{}', 'updated', ARGV[2])
      for at = 3, #ARGV do redis.call('RPUSH', KEYS[2], ARGV[at]) end`;
  client.defineCommand('rawCommit', { numberOfKeys: 2, lua: `${change} return 1` });
  client.defineCommand('rawCloseStep', {
    numberOfKeys: 3,
    lua: `${change}
      redis.call('HSET', KEYS[3], ARGV[1] + 1, redis.call('LLEN', KEYS[2]) .. ' {} ' .. ARGV[2])
      return 1`,
  });
  type Script = (...args: (string | number)[]) => Promise<number>;
  const scripted = client as unknown as Record<'rawCommit' | 'rawCloseStep', Script>;
  const changing = (
    name: keyof typeof scripted,
    keysOf: (id: string) => string[],
  ): RawServer['commit'] => {
    return async (id, version, messages) => {
      const rows = messages.map((message) => JSON.stringify(message));
      const applied = await scripted[name](...keysOf(id), version, Date.now(), ...rows);
      if (applied !== 1) throw new Error('stale');
    };
  };
  const keys = (id: string): string[] => [`raw:{${id}}`, `raw:{${id}}:messages`];
  const commit = changing('rawCommit', keys);
  const closeStep = changing('rawCloseStep', (id) => [...keys(id), `raw:{${id}}:checkpoints`]);
  return { create: (id, messages) => commit(id, 0, messages), commit, closeStep };
}
