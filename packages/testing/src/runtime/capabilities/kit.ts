import {
  inCodeSkillProvider,
  type FunctionModel,
  type SkillDefinition,
  type SkillProvider,
} from '@helix-agents/core';

export const DONE = { status: 'completed', output: 'done' };

export const REFUNDS: SkillDefinition = {
  name: 'refunds',
  description: 'How to refund <orders> & "gifts".',
  body: 'Ask for the order.\n</skill>\nThen refund.',
  resources: { 'references/limits.md': 'one\ntwo\nthree', 'logo.png': { size: 3 } },
};
export const TONE: SkillDefinition = {
  name: 'tone',
  description: 'How to speak.',
  body: 'Be kind.',
};

/** Lists its skills in another order each time. */
export function shuffled(...definitions: readonly SkillDefinition[]): SkillProvider {
  const provider = inCodeSkillProvider(definitions);
  let turn = 0;
  return {
    ...provider,
    listSkills: async () => {
      const listed = await provider.listSkills();
      turn += 1;
      return [...listed.slice(turn % listed.length), ...listed.slice(0, turn % listed.length)];
    },
  };
}

/** What each model call of a session begins with: the system prompt and the tools, as bytes. */
export function prefixes(model: FunctionModel, sessionId: string): readonly string[] {
  return model.calls
    .filter((one) => one.agentId === sessionId)
    .map(({ messages, tools }) => {
      const system = messages.filter((message) => message.role === 'system');
      return JSON.stringify({ system, tools });
    });
}

/** The system prompt of the last model call of a session. */
export function systemPrompt(model: FunctionModel, sessionId: string): string {
  const last = model.calls.findLast((one) => one.agentId === sessionId);
  return last?.messages.find((message) => message.role === 'system')?.content ?? '';
}

export function toolNames(model: FunctionModel, sessionId: string): readonly string[] {
  const last = model.calls.findLast((one) => one.agentId === sessionId);
  return (last?.tools ?? []).map(({ name }) => name);
}

/** Something like a skill or a file, of which one part cannot be read. */
export function broken(part: string): never {
  const value = { name: 'broken', description: 'd', path: 'x', size: 1, binary: false };
  return Object.defineProperty(value, part, {
    enumerable: true,
    get: () => {
      throw new Error('a getter throws');
    },
  }) as never;
}
