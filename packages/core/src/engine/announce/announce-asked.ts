import type { OpenCallRow, SessionRow } from '../../store/rows.ts';
import { askEntry } from './chunk-entries.ts';
import type { EngineContext } from '../context.ts';

/** Says in the root's stream and in the log that a person is asked. `session` is the one that registered the calls. */
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
