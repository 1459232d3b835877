import {
  withContext,
  type AgentConfig,
  type AgentExecutor,
  type ExecuteOptions,
  type Logger,
  type SessionStateStore,
  type StateStore,
  type StreamManager,
} from '@helix-agents/core';
import { forService } from '@helix-agents/http';

/** What the chat works on. Every store and every runtime of the project fits. */
export interface ChatDependencies {
  readonly executor: AgentExecutor;
  readonly stateStore: SessionStateStore & StateStore;
  readonly streamManager: StreamManager;
  readonly agent: AgentConfig;
  /** False: after a refresh, text of the step in progress appears only from then on. True by default. */
  readonly contentReplayEnabled?: boolean;
  /** A message while calls wait for a person: close them and go on with the message (default), or refuse it with 409. */
  readonly onMessageWhileSuspended?: 'supersede' | 'reject';
  /** A message while the agent works: stop it and go on with the message (default), or refuse it with 409. */
  readonly onMessageWhileRunning?: 'interrupt' | 'reject';
  /** For every turn: tags, metadata, hooks. The session id comes from the request. */
  readonly executeOptions?: Omit<ExecuteOptions, 'sessionId' | 'onMessageWhileSuspended'>;
  /** A comment is sent when nothing else was for this long, so that proxies keep the connection; 15,000 by default. */
  readonly heartbeatMs?: number;
  /** At most this much waits in memory for one reader; 65,536 by default. */
  readonly bufferBytes?: number;
  /** A reader that takes nothing for this long is dropped; 30,000 by default. It may continue after its last event. */
  readonly stallMs?: number;
  /** Largest body that is read of a request; 4 MB by default. */
  readonly maxBodyBytes?: number;
  readonly logger?: Logger;
}

/** The same; what is logged about a request carries the name of the service that it came to. */
export function namedFor(
  deps: ChatDependencies,
  serviceName: string | undefined,
): ChatDependencies {
  if (serviceName === undefined) return deps;
  const { executor, logger } = deps;
  return {
    ...deps,
    executor: forService(executor, serviceName),
    ...(logger && { logger: withContext(logger, { service: serviceName }) }),
  };
}
