// What processes that are stopped and killed open: keys with a prefix, on the server's clock.
import { noopLogger } from '@helix-agents/core';
import type { Stores } from '@helix-agents/test-processes';
import { Redis } from 'ioredis';
import { openRedis } from '../src/index.ts';

export function openStores(url: string, prefix: string): Stores {
  const client = new Redis(url);
  const opened = openRedis(client, { prefix, logger: noopLogger });
  return {
    ...opened,
    close() {
      opened.close();
      client.disconnect();
    },
  };
}
