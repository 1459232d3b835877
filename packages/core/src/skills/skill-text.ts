import type { Message } from '../messages/message.ts';

export const LOAD_SKILL = 'load_skill';
export const READ_SKILL_FILE = 'read_skill_file';
/** The file that a skill is written in: its body, for a model that reads on. */
export const SKILL_FILE = 'SKILL.md';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** Text as one line of markup, cut to a length before that. */
export function escapeText(text: string, length: number = Infinity): string {
  const line = text
    .slice(0, length * 4)
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .toWellFormed();
  const cut = line.length > length ? `${line.slice(0, length - 1).toWellFormed()}…` : line;
  return cut.replaceAll(/[&<>"]/g, (char) => ENTITIES[char] ?? char);
}

/** By code unit: the same order in every locale. */
export function byCodeUnit(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

/** A body between tags that nothing in it can close. */
export function skillBlock({
  name,
  body,
}: {
  readonly name: string;
  readonly body: string;
}): string {
  return `${openingTag(name)}\n${body.replaceAll(/<(?=\/?skill(?![\w-]))/gi, '&lt;')}\n</skill>`;
}

function openingTag(name: string): string {
  return `<skill name="${escapeText(name)}">`;
}

const LOADED = /^<skill name="([a-z0-9-]+)">\n/;

/** The skills whose bodies are in a transcript as results of `load_skill`, in the order they were loaded. */
export function collectLoadedSkillNames(messages: readonly Message[]): readonly string[] {
  const names = new Set<string>();
  for (const message of messages) {
    if (message.role !== 'tool' || message.toolName !== LOAD_SKILL) continue;
    const name = LOADED.exec(message.content)?.[1];
    if (name !== undefined) names.add(name);
  }
  return [...names];
}
