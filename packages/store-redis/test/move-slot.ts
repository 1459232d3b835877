import { setTimeout as wait } from 'node:timers/promises';
import type { RedisClusterServers } from '@helix-agents/test-servers';
import { Redis } from 'ioredis';

/** A slot on its way from its node to another, as `redis-cli --cluster reshard` moves it. */
export interface SlotMove {
  /** Of all keys of the slot, sorted, those that this says; all by default. */
  moveKeys(which?: (place: number) => boolean): Promise<void>;
  /** The target is told that it has the slot. */
  tellTarget(): Promise<void>;
  /** The source is told, and hands on what it is asked. */
  tellSource(): Promise<void>;
  close(): void;
}

export async function beginMove({ nodes }: RedisClusterServers, tag: string): Promise<SlotMove> {
  const clients = nodes.map(({ port }) => new Redis(port, '127.0.0.1'));
  const slot = (await clients[0]!.call('CLUSTER', ['KEYSLOT', `{${tag}}`])) as number;
  const ids = (await Promise.all(
    clients.map((node) => node.call('CLUSTER', ['MYID'])),
  )) as string[];
  const owns = await Promise.all(clients.map((node) => ownsSlot(node, slot)));
  const from = owns.indexOf(true);
  const to = (from + 1) % nodes.length;
  const [source, target] = [clients[from]!, clients[to]!];
  await target.call('CLUSTER', ['SETSLOT', slot, 'IMPORTING', ids[from]!]);
  await source.call('CLUSTER', ['SETSLOT', slot, 'MIGRATING', ids[to]!]);
  const finish = ['SETSLOT', slot, 'NODE', ids[to]!];
  return {
    async moveKeys(which = () => true) {
      const keys = (await source.call('CLUSTER', ['GETKEYSINSLOT', slot, 10_000])) as string[];
      for (const key of keys.toSorted().filter((_, place) => which(place))) {
        await source.call('MIGRATE', ['127.0.0.1', nodes[to]!.port, key, 0, 5_000]);
      }
    },
    tellTarget: async () => void (await target.call('CLUSTER', finish)),
    async tellSource() {
      await source.call('CLUSTER', finish);
      // The third node hears of it by itself.
      const others = clients.filter((node) => node !== source);
      while (!(await ownsSlot(target, slot)) || (await isUnsure(others, slot, ids[to]!))) {
        await wait(20);
      }
    },
    close() {
      for (const client of clients) client.disconnect();
    },
  };
}

type SlotRange = readonly [first: number, last: number, master: readonly [string, number, string]];

async function masterOf(node: Redis, slot: number): Promise<string | undefined> {
  const ranges = (await node.call('CLUSTER', ['SLOTS'])) as SlotRange[];
  return ranges.find(([first, last]) => slot >= first && slot <= last)?.[2][2];
}

async function ownsSlot(node: Redis, slot: number): Promise<boolean> {
  return (await masterOf(node, slot)) === (await node.call('CLUSTER', ['MYID']));
}

async function isUnsure(nodes: readonly Redis[], slot: number, master: string): Promise<boolean> {
  const told = await Promise.all(nodes.map((node) => masterOf(node, slot)));
  return told.some((id) => id !== master);
}
