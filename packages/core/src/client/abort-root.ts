import { readRoot } from '../engine/claim/claimable.ts';
import type { EngineContext } from '../engine/context.ts';
import { abortSession, type AbortResult } from '../engine/human/abort.ts';
import { closeRoot } from '../engine/human/close-root.ts';
import { checkAbortOptions } from './check-options.ts';
import { contextFor } from './context-for.ts';
import type { AbortOptions } from './types.ts';
import { checkNewSessionId, checkSessionId } from './user-messages.ts';

/** Stops a root hard: the run in progress, or with `close` the session for good. */
export async function abortRoot(
  of: EngineContext,
  sessionId: string,
  reason: string | undefined,
  options: AbortOptions,
): Promise<AbortResult> {
  checkSessionId(sessionId);
  checkAbortOptions(options);
  const { runId, userId } = options;
  const ctx = contextFor(of, options);
  if (!options.close) {
    return abortSession(ctx, await readRoot(ctx, sessionId), reason ?? null, runId);
  }
  checkNewSessionId(sessionId);
  return closeRoot(ctx, sessionId, { reason: reason ?? null, userId });
}
