import { AgentNotFoundError } from '../../errors/setup-errors.ts';
import type { AgentConfig } from '../../define/types.ts';
import type { SessionRow } from '../../store/rows.ts';
import type { EngineContext } from './context.ts';

/** The definition a session runs with; without it nothing is written and the session stays as it is. */
export function requireAgent(ctx: EngineContext, session: SessionRow): AgentConfig {
  const agent = ctx.findAgent(session);
  if (!agent) throw new AgentNotFoundError(session.agentType);
  return agent;
}
