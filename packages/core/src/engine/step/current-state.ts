import { withStateDefaults } from '../../define/initial-state.ts';
import type { AgentConfig } from '../../define/types.ts';
import type { JsonValue } from '../../json.ts';
import type { SessionRow } from '../../store/rows.ts';
import type { EngineContext } from '../context.ts';
import { isLateSchema, parserFor } from '../race.ts';

/** The stored state with the defaults of fields that it lacks. Without them, where the schema does not answer. */
export async function currentState(
  ctx: EngineContext,
  agent: AgentConfig,
  { sessionId, customState }: Pick<SessionRow, 'sessionId' | 'customState'>,
  signal: AbortSignal,
): Promise<JsonValue> {
  try {
    return await withStateDefaults(agent, customState, parserFor(ctx, signal));
  } catch (error) {
    if (!isLateSchema(error)) throw error;
    ctx.logger.warn('state.defaults_late', { sessionId, agentType: agent.name });
    return customState;
  }
}
