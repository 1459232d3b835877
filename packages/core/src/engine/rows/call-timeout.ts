import type { OpenCallRow } from '../../store/rows.ts';
import type { EngineContext } from '../context.ts';

/** The deadline of a call has passed and the call is closed as expired. */
export function logTimeout(
  { logger }: Pick<EngineContext, 'logger'>,
  { rootId: sessionId, toolCallId, deadlineAt }: OpenCallRow,
): void {
  logger.warn('client_tool.timeout', { sessionId, toolCallId, deadlineAt });
}

/** An answer came after the deadline, and was not taken. */
export function logLate(
  { clock, logger }: Pick<EngineContext, 'clock' | 'logger'>,
  { rootId: sessionId, toolCallId, deadlineAt }: OpenCallRow,
): void {
  const lateByMs = deadlineAt === null ? null : clock.now() - deadlineAt;
  logger.warn('client_tool.submit_late', { sessionId, toolCallId, deadlineAt, lateByMs });
}
