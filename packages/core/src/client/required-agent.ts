import { treeOf } from '../define/resolve-agent.ts';
import type { AgentConfig } from '../define/types.ts';
import type { EngineContext } from '../engine/context.ts';
import { requireAgent } from '../engine/require-agent.ts';
import { InvalidRequestError } from '../errors/request-errors.ts';
import type { SessionRow } from '../store/rows.ts';

/** The agent that a session continues with: the one passed in, if it belongs to that session, else the registered one. */
export function agentFor(
  ctx: EngineContext,
  session: SessionRow,
  given: AgentConfig | undefined,
): AgentConfig {
  if (!given) return requireAgent(ctx, session);
  treeOf(given);
  assertAgentOf(session, given);
  return given;
}

export function assertAgentOf({ agentType }: SessionRow, { name }: AgentConfig): void {
  if (agentType === name) return;
  const message = `belongs to the agent "${agentType}", not to "${name}"`;
  throw new InvalidRequestError([{ path: 'sessionId', message }]);
}
