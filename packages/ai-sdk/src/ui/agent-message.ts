import type { InferAgentTools, InferToolInput, InferToolOutput, Tool } from '@helix-agents/core';
import type { UIDataTypes, UIMessage } from 'ai';
import type { SubAgentData } from './messages.ts';

/** The tools of an agent as `useChat` types them: the input and output of each, by name. */
export type InferAgentUITools<Agent> = {
  [T in InferAgentTools<Agent> as T extends Tool<never, unknown, infer Name> ? Name : never]: {
    input: InferToolInput<T>;
    output: InferToolOutput<T>;
  };
};

/**
 * A message of a chat with that agent. The page takes the type of the agent alone, none of its code. `Data` are the events
 * that its tools and hooks emit, by name.
 *
 * @example
 * import type { assistant } from '../server/assistant.ts';
 * const chat = useHelixChat<InferAgentUIMessage<typeof assistant>>({ id });
 */
export type InferAgentUIMessage<Agent, Data extends UIDataTypes = NoData> = UIMessage<
  unknown,
  { subagent: SubAgentData } & Data,
  InferAgentUITools<Agent>
>;

type NoData = Record<never, never>;
