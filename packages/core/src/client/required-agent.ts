import { treeOf } from '../define/resolve-agent.ts';
import type { AgentConfig } from '../define/types.ts';
import type { EngineContext } from '../engine/context.ts';
import { requireAgent } from '../engine/require-agent.ts';
import { InvalidRequestError } from '../errors/request-errors.ts';
import type { SessionRow } from '../store/rows.ts';

/** The agent a session goes on with: the one that was handed in, if it is that session's, else the one that is found. */
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
