import type { OpenCallRow, SessionRow } from '../../store/rows.ts';
import { askEntry } from './chunk-entries.ts';
import type { EngineContext } from '../context.ts';

/** Announces calls that wait for a person, in the root's stream and in the log. `session` registered them. */
export async function announceAsked(
  ctx: EngineContext,
  session: SessionRow,
  calls: readonly OpenCallRow[],
): Promise<void> {
  const now = ctx.clock.now();
  await ctx.announcer.announce(
    session.streamId,
    calls.map((call) => askEntry(call, now)),
  );
  for (const { rootId: sessionId, toolCallId, toolName, deadlineAt } of calls) {
    const { runId } = session;
    ctx.logger.debug?.('client_tool.suspended', {
      sessionId,
      runId,
      toolCallId,
      toolName,
      deadlineAt,
    });
  }
}
