import type { CapabilitySession } from '../../capability/types.ts';
import { checkTimer } from '../../define/check-options.ts';
import { HelixError } from '../../errors/helix-error.ts';
import type { JsonValue } from '../../json.ts';
import { frozenCopy } from '../../util/frozen-copy.ts';
import { inTime } from '../race.ts';
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
    within: async (ms, work) => {
      checkTimer('within', 'ms', ms ?? Number.NaN, 'and call the work itself to wait for it');
      return inTime(ctx.clock, work, { ms, signal: abortSignal }, () => late(ms));
    },
  };
}

function late(ms: number): HelixError {
  return new HelixError({
    code: 'capability_timeout',
    message: `There was no answer within ${ms} ms.`,
  });
}
