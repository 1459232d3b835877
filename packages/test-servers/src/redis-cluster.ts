import { setTimeout as wait } from 'node:timers/promises';
import { connect } from 'node:net';
import { once } from 'node:events';
import { startRedis, type RedisServer } from './redis-server.ts';

export interface RedisClusterServers {
  readonly nodes: readonly RedisServer[];
  stop(): Promise<void>;
}

const SLOTS = 16_384;
const READY_WITHIN_MS = 600_000;

/** Three masters on loopback, each with a third of the slots. */
export async function startRedisCluster(): Promise<RedisClusterServers> {
  const nodes = await Promise.all([0, 1, 2].map(() => startRedis({ cluster: true })));
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.stop()));
  };
  try {
    const [first] = nodes as [RedisServer];
    for (const [place, node] of nodes.entries()) {
      const from = Math.ceil((SLOTS * place) / nodes.length);
      const to = Math.ceil((SLOTS * (place + 1)) / nodes.length) - 1;
      await command(node, `CLUSTER ADDSLOTSRANGE ${from} ${to}`);
      await command(node, `CLUSTER SET-CONFIG-EPOCH ${place + 1}`);
      if (node !== first) await command(node, `CLUSTER MEET 127.0.0.1 ${first.port}`);
    }
    for (const node of nodes) await untilReady(node);
    return { nodes, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function untilReady(node: RedisServer): Promise<void> {
  for (const end = Date.now() + READY_WITHIN_MS; ; await wait(50)) {
    const info = await command(node, 'CLUSTER INFO');
    if (info.includes('cluster_state:ok') && info.includes('cluster_known_nodes:3')) return;
    if (Date.now() > end) throw new Error(`the Redis cluster did not come up: ${info}`);
  }
}

/** One command on a connection of its own; short replies only. */
async function command(node: RedisServer, line: string): Promise<string> {
  const socket = connect(node.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(`${line}\r\n`);
  const [reply] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  const text = reply.toString();
  if (text.startsWith('-')) throw new Error(`${line}: ${text}`);
  return text;
}
