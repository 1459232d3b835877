import {
  AgentRegistry,
  noopLogger,
  SubmitToolResultSchema,
  DEFAULT_SUBMIT_MAX_RESULT_BYTES,
  withContext,
  type AgentConfig,
  type AgentExecutor,
  type Logger,
  type StreamManager,
} from '@helix-agents/core';
import { readSubmitLimits } from '@helix-agents/core/host';
import {
  createStateStoreFacade,
  type SessionStateStoreFacade,
} from '@helix-agents/core/state-store';
import {
  BODY_FACTOR,
  createBodyBudget,
  DEFAULT_READER_LIMITS,
  forService,
  type BodyBudget,
} from '@helix-agents/http';
import type { AgentServerConfig, ChatHandler, SseOptions } from './config.ts';
import { notConfigured } from './http/not-configured.ts';
import { createTogether } from './sse/together.ts';
import type { StreamEnd } from './wire.ts';

/** What the commands work with: parts that were not handed in are refused when a command asks for them. */
export interface ServerParts {
  readonly logger: Logger;
  readonly now: () => number;
  readonly newId: () => string;
  readonly submitSchema: typeof SubmitToolResultSchema;
  /** Of that schema: an executor without one of its own goes by it too. */
  readonly maxResultBytes: number;
  readonly submitBodyBytes: number;
  readonly bodyBytes: number;
  readonly bodyBudget: BodyBudget;
  readonly sse: Required<SseOptions>;
  /** Streams that are being read, to be ended when the server closes. */
  readonly openFeeds: Set<{ close(): void }>;
  /** Reads that all readers of a session need when its stream ends or is silent, shared between them. */
  readonly together: {
    readonly end: (key: string, ask: () => Promise<StreamEnd | null>) => Promise<StreamEnd | null>;
    readonly catchUp: (key: string, ask: () => Promise<boolean>) => Promise<boolean>;
  };
  executor(): AgentExecutor;
  store(): SessionStateStoreFacade;
  streams(): StreamManager;
  /** For the log lines of others that work for this server. */
  readonly serviceName: string | undefined;
  chatHandler(): ChatHandler;
  chatSnapshot(): ChatHandler;
  agents(): { readonly [agentType: string]: AgentConfig };
  /** By the key it was handed in under, or by its own name; undefined when the server does not know it. */
  findAgent(agentType: string): AgentConfig | undefined;
}

export function createParts(config: AgentServerConfig): ServerParts {
  const { logger = noopLogger, agents, serviceName } = config;
  const submitSchema = config.submitToolResultSchema ?? SubmitToolResultSchema;
  const own = withContext(logger, serviceName === undefined ? {} : { service: serviceName });
  const maxResultBytes = resultLimitOf(submitSchema, own);
  const submitBodyBytes = BODY_FACTOR * maxResultBytes;
  const bodyBytes = config.maxBodyBytes ?? submitBodyBytes;
  const facade = config.stateStore && createStateStoreFacade(config.stateStore);
  const executor = config.executor && forService(config.executor, serviceName);
  const byName = new AgentRegistry();
  // A session stores only the name of its agent: two agents with one name could not be told apart.
  for (const agent of Object.values(agents ?? {})) byName.register(agent);
  return {
    logger: own,
    now: config.now ?? Date.now,
    newId: config.newId ?? (() => crypto.randomUUID()),
    submitSchema,
    maxResultBytes,
    submitBodyBytes,
    bodyBytes,
    bodyBudget: createBodyBudget(config.maxBodyBytesInFlight),
    sse: { ...DEFAULT_READER_LIMITS, ...config.sse },
    openFeeds: new Set(),
    together: { end: createTogether(), catchUp: createTogether() },
    executor: () => given(executor, 'an executor'),
    store: () => given(facade, 'a stateStore'),
    streams: () => given(config.streamManager, 'a streamManager'),
    serviceName,
    chatHandler: () => given(config.chatHandler, 'a chatHandler'),
    chatSnapshot: () => given(config.chatSnapshot, 'a chatSnapshot'),
    agents: () => given(agents, 'agents'),
    findAgent: (type) =>
      agents && Object.hasOwn(agents, type)
        ? agents[type]
        : byName.has(type)
          ? byName.get(type)
          : undefined,
  };
}

function given<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw notConfigured(what);
  return value;
}

/** Limits are a property of the schema that `createSubmitToolResultSchema` returns; one that is derived from it has none. */
function resultLimitOf(schema: object, logger: Logger): number {
  const limits = readSubmitLimits(schema);
  if (limits) return limits.maxResultBytes;
  const maxResultBytes = DEFAULT_SUBMIT_MAX_RESULT_BYTES;
  logger.debug?.('submit_tool_result.schema_limits_unreadable', {
    maxResultBytes,
    hint: 'a schema that is derived from createSubmitToolResultSchema() loses its limits: copy its SUBMIT_SCHEMA_LIMITS property over',
  });
  return maxResultBytes;
}
