import type { LLMGenerateInput, LLMToolCall, Message, StepResult } from '@helix-agents/core';
import { hashText, seededRandom, type Random } from '../world/random.ts';

/** A tool a session of this agent may call, with how often it is chosen. */
const MENU: Readonly<Record<string, readonly (readonly [string, number])[]>> = {
  root: [
    ['note', 3],
    ['put', 2],
    ['charge', 2],
    ['send', 2],
    ['wire', 2],
    ['ask', 2],
    ['confirm', 1],
    ['subagent__worker', 3],
    ['subagent__helper', 2],
    ['conclude', 1],
    ['nobody', 0.3],
  ],
  worker: [
    ['note', 2],
    ['ask', 3],
    ['send', 2],
    ['subagent__leaf', 3],
    ['__finish__', 1],
  ],
  helper: [
    ['note', 2],
    ['put', 2],
    ['charge', 2],
    ['__finish__', 1],
  ],
  leaf: [
    ['note', 1],
    ['ask', 2],
    ['subagent__tip', 2],
    ['__finish__', 1],
  ],
  tip: [
    ['note', 1],
    ['ask', 2],
    ['send', 2],
    ['__finish__', 1],
  ],
};

/**
 * What the model says, decided by seed, session and how far the session is: the same prompt gives the same answer in
 * any process. Provider ids repeat on purpose (`c0` in every answer).
 */
export function scriptedAnswer(seed: number, input: LLMGenerateInput): StepResult {
  const { agentId, agentType, messages } = input;
  const said = messages.filter((message) => message.role === 'assistant').length;
  const random = seededRandom(hashText(`${seed}|${agentId}|${said}`));
  const sinceUser = stepsSinceUser(messages);
  const canary = canaryIn(messages);
  const patience = agentType === 'root' ? 2 : 1;
  if (sinceUser >= patience + random.below(2)) return ending(agentType, canary, said);
  const count = 1 + random.below(agentType === 'root' ? 3 : 2);
  const toolCalls = Array.from({ length: count }, (_, index) =>
    toolCall(random, agentType, canary, `${said}.${index}`, index),
  );
  return {
    type: 'tool_calls',
    content: random.chance(0.5) ? `let me see ${canary}` : '',
    toolCalls,
  };
}

/** Text that only the sessions of one tree may hold. */
export function canaryOf(rootId: string): string {
  return `<${rootId}>`;
}

/** A sub-agent finds it where the root does: in its first message. */
function canaryIn(messages: readonly Message[]): string {
  const first = messages.find((message) => message.role === 'user');
  return /<[^<>]*>/.exec(first?.content ?? '')?.[0] ?? '';
}

function stepsSinceUser(messages: readonly Message[]): number {
  const user = messages.findLastIndex((message) => message.role === 'user');
  return messages.slice(user).filter((message) => message.role === 'assistant').length;
}

function ending(agentType: string, canary: string, said: number): StepResult {
  if (agentType === 'root')
    return { type: 'text', content: `done ${canary} ${said}`, shouldStop: true };
  const finish = { id: 'f', name: '__finish__', arguments: { said: `${canary} ${said}` } };
  return { type: 'tool_calls', toolCalls: [finish] };
}

function toolCall(
  random: Random,
  agentType: string,
  canary: string,
  place: string,
  index: number,
): LLMToolCall {
  const name = weighted(random, MENU[agentType] ?? []);
  const id = `c${index}`;
  if (name === '__finish__') return { id, name, arguments: { said: `${canary} ${place}` } };
  const amount = random.below(100);
  const broken = random.chance(0.03);
  return { id, name, arguments: broken ? { text: 1 } : { text: `${canary} ${place}`, amount } };
}

function weighted(random: Random, menu: readonly (readonly [string, number])[]): string {
  const total = menu.reduce((sum, [, weight]) => sum + weight, 0);
  let left = random.next() * total;
  for (const [name, weight] of menu) {
    left -= weight;
    if (left < 0) return name;
  }
  return menu[0]?.[0] ?? 'note';
}
