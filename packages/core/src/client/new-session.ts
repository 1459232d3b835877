import { initialState } from '../define/initial-state.ts';
import type { Parse } from '../define/parse-with.ts';
import type { AgentConfig } from '../define/types.ts';
import type { NewSession } from '../engine/rows/fresh-session.ts';
import type { JsonObject } from '../json.ts';
import type { ExecuteOptions } from './types.ts';

/** What a session is made with. */
export async function newSession(
  agent: AgentConfig,
  state: JsonObject | undefined,
  options: ExecuteOptions,
  parse: Parse,
): Promise<NewSession> {
  return {
    agentType: agent.name,
    customState: await initialState(agent, state, parse),
    ...(options.userId === undefined ? {} : { userId: options.userId }),
    ...(options.tags === undefined ? {} : { tags: options.tags }),
    ...(options.metadata === undefined ? {} : { metadata: options.metadata }),
  };
}
