import { createAnnouncer } from '../engine/announce/announcer.ts';
import { streamStateFor } from '../engine/announce/announce-end.ts';
import { DEFAULT_LIMITS, type Databases, type EngineContext } from '../engine/context.ts';
import { TranscriptCache } from '../engine/memory/transcript-cache.ts';
import type { StepMemory } from '../engine/memory/step-memory.ts';
import { humanizeClientToolError } from '../errors/client-tool-errors.ts';
import { hooksOfCapabilities } from '../define/agent-capabilities.ts';
import { checkHooks } from '../define/check-hooks.ts';
import { DefinitionError } from '../errors/setup-errors.ts';
import { composeHooks } from '../engine/hooks/fire-hooks.ts';
import type { LLMAdapter } from '../llm/adapter.ts';
import { toLogger, withContext, type Logger } from '../logger.ts';
import type { StreamState } from '../engine/announce/stream-status.ts';
import { warnOfLimits } from '../stream/warn-of-limits.ts';
import type { AgentDirectory } from './agent-directory.ts';
import { describeSafely } from './describe-safely.ts';
import type { ExecutorParts } from './options.ts';
import { systemClock } from '../host/system-clock.ts';
import { rootRef } from '../store/session-place.ts';

/** What a runtime says about itself. */
export interface HostTraits {
  /** Written into the sessions it claims: another kind never takes them over. */
  readonly hostKind: string;
  /** Null where an engine keeps runs alive. */
  readonly leaseMs: number | null;
  readonly databases?: Databases | undefined;
  /** Null where operations do not share memory. */
  readonly memory: StepMemory | null;
  /** Whether this process drives that run of that session right now. */
  readonly isDriving: EngineContext['isDriving'];
}

/** All that operations and commands need, from what an executor was given. */
export function createEngineContext(
  parts: ExecutorParts,
  directory: AgentDirectory,
  traits: HostTraits,
): EngineContext {
  const logger = loggerOf(parts);
  checkHooks('The executor', parts.hooks);
  const clock = parts.clock ?? systemClock;
  const newId = parts.newId ?? (() => crypto.randomUUID());
  const databases = traits.databases ?? { of: () => parts.stateStore.sessions };
  const stateFor = async (rootId: string): Promise<StreamState | null> => {
    const root = rootRef(rootId);
    const session = await databases.of(root).readSession(root);
    return session && streamStateFor(session);
  };
  warnOfLimits(parts.streamManager, logger);
  return {
    databases,
    findRoot: (sessionId) => parts.stateStore.index.findRoot(sessionId),
    announcer: createAnnouncer(parts.streamManager, logger, clock, stateFor),
    model: parts.llmAdapter ?? noModel,
    clock,
    newId,
    identity: {
      hostKind: traits.hostKind,
      owner: newId(),
      leaseMs: traits.leaseMs === null ? null : Math.ceil(traits.leaseMs),
    },
    logger,
    limits: { ...DEFAULT_LIMITS, ...parts.limits },
    describeError: describeSafely(parts.describeError ?? humanizeClientToolError, logger),
    transcripts: new TranscriptCache(),
    memory: traits.memory,
    isDriving: traits.isDriving,
    agents: directory,
    hooksFor: (session) => {
      const agent = directory.find(session);
      const ofAgent = agent ? [agent.hooks, ...hooksOfCapabilities(agent)] : [];
      return composeHooks(parts.hooks, ...ofAgent, ...directory.hooksOf(session));
    },
  };
}

function loggerOf({ logger, serviceName }: ExecutorParts): Logger {
  return logger === undefined || serviceName === undefined
    ? toLogger(logger)
    : withContext(logger, { service: serviceName });
}

/** Of a process that starts runs and does not take part in them. */
const noModel: LLMAdapter = {
  async generateStep() {
    throw new DefinitionError(
      'This process has no model: hand an llmAdapter to whatever runs the agents.',
    );
  },
};
