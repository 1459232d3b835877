export { AgentServer } from './agent-server.ts';
export type { AgentServerConfig, ChatHandler, ChatParams, SseOptions } from './config.ts';
export { createExpressAdapter, createNodeListener } from './adapters/express-adapter.ts';
export type { ExpressHandler, NodeListener } from './adapters/express-adapter.ts';
export { createHttpAdapter } from './adapters/http-adapter.ts';
export type { FetchHandler, HttpAdapterOptions } from './adapters/http-adapter.ts';
export type {
  Authenticate,
  AuthenticateRequest,
  AuthenticateResult,
  Operation,
  Principal,
} from './auth/authenticate.ts';
export { createSessionTokens } from './auth/session-tokens.ts';
export type {
  IssuedToken,
  SessionClaims,
  SessionTokens,
  SessionTokensOptions,
} from './auth/session-tokens.ts';
export type { CorsOptions } from './http/cors.ts';
export { createMemoryRateLimitStore } from './http/rate-limit.ts';
export type { RateLimitOptions, RateLimitStore } from './http/rate-limit.ts';
export type { OpenApiDocument, OpenApiOperation } from './openapi.ts';
export type { FeedEvent, SessionFeed } from './sse/session-feed.ts';
export type {
  AbortAnswer,
  ErrorAnswer,
  Health,
  InterruptAnswer,
  OpenCallsQuery,
  OpenCallView,
  ResumeRequest,
  RunStarted,
  SessionDetailQuery,
  SessionDetailView,
  SessionsQuery,
  SessionStarted,
  SessionStatusView,
  SessionSummary,
  SessionView,
  StartRequest,
  StopRequest,
  StreamEnd,
  StreamTruncated,
  SubmitAnswer,
  WireMessage,
  WirePage,
  WireUserMessage,
} from './wire.ts';
export type { ChunkEvent, NodeRequest, NodeResponse } from '@helix-agents/http';
export { HelixPayloadTooLargeError, HelixStreamError } from '@helix-agents/core';
