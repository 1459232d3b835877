import { describeServer, startRedis } from '@helix-agents/test-servers';
import { testServerKilled } from '@helix-agents/testing';
import { Redis } from 'ioredis';
import { overClient } from './over-client.ts';

describeServer('redis', () => {
  testServerKilled({
    name: 'redis with appendfsync always',
    async start() {
      const server = await startRedis({ appendfsync: 'always' });
      // It sends again what was not answered, so every writer hears of everything.
      const client = new Redis(server.url, { retryStrategy: () => 20, maxRetriesPerRequest: null });
      client.on('error', () => {});
      const opened = overClient(client, 'agent');
      return {
        ...opened,
        kill: () => server.kill(),
        restart: () => server.restart(),
        async close() {
          opened.close();
          await server.stop();
        },
      };
    },
  });
});
