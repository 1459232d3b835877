import {
  collectLoadedSkillNames,
  functionModel,
  type FunctionModel,
  type JsonObject,
  type Message,
  type StepResult,
} from '@helix-agents/sdk';

/**
 * Plays the part of a language model. It knows the skills from its prompt alone: it loads the one whose description has most words of
 * the question, reads the file that the skill tells it to, and answers with what it has read.
 */
export const scriptedModel: FunctionModel = functionModel(({ messages }) => {
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  const skill = bestSkill(messages[0]?.content ?? '', messages[asked]?.content ?? '');
  if (skill === null) return say('How can I help?');
  if (!collectLoadedSkillNames(messages).includes(skill))
    return call('load_skill', { name: skill });
  const body = bodyOf(messages, skill);
  const path = /Read (\S+)/.exec(body)?.[1];
  const file = path === undefined ? '' : resultAfter(messages, asked, 'read_skill_file');
  if (file === null) return call('read_skill_file', { skill, path: path as string });
  return say(`${body.split('\n').at(-1)}${file === '' ? '' : ` (${file.split('\n')[0]})`}`);
});

function bestSkill(prompt: string, question: string): string | null {
  const words = new Set(question.toLowerCase().match(/[a-z]{4,}/g));
  const entries = prompt.matchAll(/<skill name="([^"]+)">(.*)<\/skill>/g);
  const scored = [...entries].map(([, name = '', description = '']) => {
    const shared = description.toLowerCase().match(/[a-z]{4,}/g) ?? [];
    return { name, score: shared.filter((word) => words.has(word)).length };
  });
  const best = scored.toSorted((one, other) => other.score - one.score)[0];
  return best && best.score > 0 ? best.name : null;
}

function bodyOf(messages: readonly Message[], skill: string): string {
  const opening = `<skill name="${skill}">\n`;
  const loaded = messages.find(
    ({ role, content }) => role === 'tool' && content.startsWith(opening),
  );
  return loaded?.content.slice(opening.length).split('\n</skill>')[0] ?? '';
}

function resultAfter(messages: readonly Message[], from: number, toolName: string): string | null {
  const result = messages
    .slice(from)
    .find((message) => message.role === 'tool' && message.toolName === toolName);
  return result?.content ?? null;
}

function say(content: string): StepResult {
  return { type: 'text', content, shouldStop: true };
}

let calls = 0;

function call(name: string, input: JsonObject): StepResult {
  calls += 1;
  return { type: 'tool_calls', toolCalls: [{ id: `call_${calls}`, name, arguments: input }] };
}
