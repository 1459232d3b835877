import type {
  AgentConfig,
  LLMGenerateInput,
  Message,
  OpenCallRow,
  SessionRow,
  StepResult,
  SubmitToolResult,
} from '@helix-agents/core';
import type { AgentKit } from './agent-kit.ts';
import type { Ledger } from './ledger.ts';

/** What the person does about a session that waits, or that is running. */
export type Deed =
  | { readonly kind: 'answer' }
  | { readonly kind: 'interrupt' }
  | { readonly kind: 'abort' }
  | { readonly kind: 'message'; readonly text: string }
  | { readonly kind: 'wait' };

/** What the person can see when they decide. */
export interface Scene {
  readonly root: SessionRow;
  readonly ledger: Ledger;
  /** A call of this tool is under way in a living process. */
  readonly running: (tool: string) => boolean;
}

/**
 * One story: agents, a model that is a function of the transcript, and a person who decides by looking at the store.
 * It has no memory, so any process can continue it from any point.
 */
export interface Scenario {
  readonly name: string;
  agent(kit: AgentKit): AgentConfig;
  model(input: LLMGenerateInput): StepResult;
  /** User messages, one per turn; the next is sent when the session has ended. */
  readonly messages: readonly string[];
  /** The answer to an open call; null: not in this round. */
  answer?(call: OpenCallRow, root: SessionRow): Answer | null;
  /** What the person does while the session runs, waits or is stopped. Default: wait, answer, resume. */
  decide?(scene: Scene): Deed;
  /** Answers of one round are submitted at once, every other one through another process. */
  readonly twoWriters?: boolean;
  /** Children are compared too. Default true. */
  readonly compareChildren?: boolean;
}

type Distribute<T> = T extends unknown ? Omit<T, 'sessionId' | 'toolCallId'> : never;
export type Answer = Distribute<SubmitToolResult>;

/** The assistant messages since the last user message: which step of the turn this is. */
export function stepOf(messages: readonly Message[]): number {
  const last = messages.findLastIndex((message) => message.role === 'user');
  return messages.slice(last + 1).filter((message) => message.role === 'assistant').length;
}

export function turnOf(messages: readonly Message[]): number {
  return messages.filter((message) => message.role === 'user').length;
}

/** An answer of the model with calls. Ids are unique per turn and step. */
export function calls(
  input: LLMGenerateInput,
  content: string,
  ...tools: readonly [name: string, args?: { readonly [key: string]: string }][]
): StepResult {
  const at = `${turnOf(input.messages)}${stepOf(input.messages)}`;
  return {
    type: 'tool_calls',
    content,
    toolCalls: tools.map(([name, args], index) => ({
      id: `c${at}${index}-${name}`,
      name,
      arguments: args ?? {},
    })),
  };
}

export function says(content: string): StepResult {
  return { type: 'text', content, shouldStop: true };
}
