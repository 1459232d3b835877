export { AgentClient, AgentServerError } from './client/agent-client.ts';
export type { AgentClientOptions, StreamOptions } from './client/agent-client.ts';
export type { FeedEvent } from './sse/session-feed.ts';
export type { ChunkEvent } from '@helix-agents/http';
