import { startPostgres } from './postgres-server.ts';
import { startRedis } from './redis-server.ts';
import { startTemporal } from './temporal-server.ts';

/** A server that a whole test run shares. */
export interface SharedServer {
  readonly url: string;
  stop(): Promise<void>;
}

export type ServerName = 'postgres' | 'redis' | 'temporal';

/** How each kind of server is had: the one the environment names, else one of our own. */
export const serverCatalogue: Readonly<Record<ServerName, () => Promise<SharedServer>>> = {
  postgres: () => given('TEST_PG_URL') ?? startPostgres(),
  redis: () => given('TEST_REDIS_URL') ?? startRedis(),
  temporal: () => given('TEMPORAL_ADDRESS') ?? startTemporal(),
};

function given(variable: string): Promise<SharedServer> | undefined {
  const url = process.env[variable];
  if (url === undefined || url === '') return undefined;
  return Promise.resolve({ url, stop: async () => {} });
}
