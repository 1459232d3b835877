import { initialState } from '../define/initial-state.ts';
import type { Parse } from '../define/parse-with.ts';
import type { AgentConfig } from '../define/types.ts';
import type { NewSession } from '../engine/rows/fresh-session.ts';
import type { JsonObject } from '../json.ts';
import { plainOption } from './plain-option.ts';
import type { ExecuteOptions } from './types.ts';

const MAX_LABEL_BYTES = 1_000_000;

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
    ...(options.tags === undefined
      ? {}
      : { tags: plainOption('tags', options.tags, MAX_LABEL_BYTES) }),
    ...(options.metadata === undefined
      ? {}
      : { metadata: plainOption('metadata', options.metadata, MAX_LABEL_BYTES) }),
  };
}
