export { describeServer } from './describe-server.ts';
export { isSwitchedOff, ServerUnavailableError } from './errors.ts';
export { freePort } from './free-port.ts';
export {
  createPostgresDatabase,
  terminateConnections,
  type TestDatabase,
} from './postgres-database.ts';
export {
  startPostgres,
  type PostgresServer,
  type PostgresServerOptions,
} from './postgres-server.ts';
export { startRedisCluster, type RedisClusterServers } from './redis-cluster.ts';
export { createRedisSpace, type RedisSpace } from './redis-space.ts';
export { startRedis, type RedisServer, type RedisServerOptions } from './redis-server.ts';
export { startReplyProxy, type ReplyProxy } from './reply-proxy.ts';
export { serverCatalogue, type ServerName, type SharedServer } from './server-catalogue.ts';
export { sharedServerUrl } from './shared-server.ts';
export {
  startTemporal,
  type TemporalServer,
  type TemporalServerOptions,
} from './temporal-server.ts';
export { startWorker } from './worker.ts';
