import type { OpenCallRow } from '../../store/rows.ts';
import type { EngineContext } from '../context.ts';

/** The deadline of a call has passed and the call is closed as expired. */
export function logTimeout(
  { logger }: Pick<EngineContext, 'logger'>,
  { rootId: sessionId, toolCallId, deadlineAt }: OpenCallRow,
): void {
  logger.warn('client_tool.timeout', { sessionId, toolCallId, deadlineAt });
}
