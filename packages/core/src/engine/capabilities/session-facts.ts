import type { CapabilitySession } from '../../capability/types.ts';
import type { JsonValue } from '../../json.ts';
import { frozenCopy } from '../../util/frozen-copy.ts';
import type { StepScope } from '../rows/step-view.ts';

/** A session as a capability is told of it. */
export function capabilitySessionOf(
  { ctx, run, view }: StepScope,
  state: () => JsonValue,
  abortSignal: AbortSignal,
): CapabilitySession {
  const { session, store } = view;
  return {
    sessionId: session.sessionId,
    rootId: session.rootId,
    runId: run.runId,
    agentType: session.agentType,
    stepId: session.stepId,
    stepCount: session.stepCount,
    ...(session.userId === null ? {} : { userId: session.userId }),
    tags: session.tags,
    metadata: session.metadata,
    get state() {
      return frozenCopy(state());
    },
    abortSignal,
    logger: ctx.logger,
    readMessages: async () => {
      const { messages } = await ctx.transcripts.read(store, run, session.messageCount);
      return messages.slice(0, session.messageCount);
    },
  };
}
