import type { OptionNames } from '@helix-agents/core/host';
import type { AgentServerConfig } from './config.ts';

/** Accepted and not used: an application may spread the object that holds its stores into the config. */
interface Unused {
  readonly usageStore: unknown;
  readonly lockManager: unknown;
  readonly migrations: unknown;
  readonly close: unknown;
}

export const SERVER_OPTIONS: OptionNames<AgentServerConfig & Unused> = {
  of: 'AgentServer',
  known: {
    agents: true,
    executor: true,
    stateStore: true,
    streamManager: true,
    chatHandler: true,
    chatSnapshot: true,
    resumeCookie: true,
    authenticate: true,
    allowUnauthenticated: true,
    authenticateBeforeBody: true,
    authenticateTimeoutMs: true,
    sessionTokens: true,
    logger: true,
    serviceName: true,
    submitToolResultSchema: true,
    verboseValidationErrors: true,
    maxBodyBytes: true,
    maxBodyBytesInFlight: true,
    trustProxy: true,
    bodyTimeoutMs: true,
    rateLimit: true,
    cors: true,
    sse: true,
    now: true,
    newId: true,
    usageStore: true,
    lockManager: true,
    migrations: true,
    close: true,
  },
  otherNames: {
    auth: 'authenticate',
    authorize: 'authenticate',
    authentication: 'authenticate',
    agent: 'agents',
    stores: '...helix.stores',
    store: 'stateStore',
    stream: 'streamManager',
    streams: 'streamManager',
    chat: 'chatHandler',
    rateLimits: 'rateLimit',
  },
};
