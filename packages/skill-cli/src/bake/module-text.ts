import type { SkillDefinition } from '@helix-agents/core';
import { escapeInvisible } from '../visible.ts';

const HEAD =
  '// Written by `helix-skills sync`. Do not edit it: change the manifest, and sync again.';
const TYPED = `${HEAD}
import type { SkillDefinition } from '@helix-agents/core';

export const skills: SkillDefinition[] = `;
const UNTYPED = `${HEAD}
/** @type {import('@helix-agents/core').SkillDefinition[]} */
export const skills = `;

/** A string or a template literal: the one place where brackets and keys cannot be meant. */
const LITERAL = /"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`/gs;

/**
 * The generated module: one object literal, without code. Texts of several lines are written as lines, so that a review of the
 * file shows what changed; what a reader would not see is escaped.
 */
export function renderModule(skills: readonly SkillDefinition[], isTyped: boolean): string {
  const json = JSON.stringify(skills, null, 2).replaceAll(
    LITERAL,
    (literal, offset: number, all: string) => {
      const isKey = all[offset + literal.length] === ':';
      // As a plain key it would set the prototype.
      if (isKey && literal === '"__proto__"') return '["__proto__"]';
      return literal.includes('\\n') && !isKey
        ? template(JSON.parse(literal))
        : escapeInvisible(literal);
    },
  );
  return `${isTyped ? TYPED : UNTYPED}${json};\n`;
}

/** Whether a file may be replaced by a module: the command wrote it, in whatever form it is now, or it is empty. */
export function isOwnModule(text: string): boolean {
  return text.trim() === '' || text.startsWith(HEAD);
}

/** The skills of a module that `renderModule` wrote; null where it is another text. Nothing of it is run. */
export function readModule(text: string): SkillDefinition[] | null {
  const plain = text.replaceAll('\r\n', '\n');
  const head = [TYPED, UNTYPED].find((one) => plain.startsWith(one));
  if (head === undefined) return null;
  const json = plain
    .slice(head.length)
    .replace(/;\n$/, '')
    .replaceAll(LITERAL, (literal) =>
      literal.startsWith('`') ? JSON.stringify(untemplate(literal)) : literal,
    )
    .replaceAll('["__proto__"]:', '"__proto__":');
  try {
    const skills: unknown = JSON.parse(json);
    return Array.isArray(skills) && skills.every(isDefinition) ? skills : null;
  } catch {
    return null;
  }
}

function template(text: string): string {
  const escaped = text.replaceAll(/\\|`|\$\{/g, '\\$&').replaceAll('\r', '\\r');
  return `\`${escapeInvisible(escaped)}\``;
}

function untemplate(literal: string): string {
  return literal.slice(1, -1).replaceAll(/\\(u[0-9a-f]{4}|.)/gs, (_, escape: string) => {
    if (escape === 'r') return '\r';
    return escape.length === 1 ? escape : String.fromCharCode(Number.parseInt(escape.slice(1), 16));
  });
}

function isDefinition(value: unknown): value is SkillDefinition {
  if (typeof value !== 'object' || value === null) return false;
  return (
    'name' in value &&
    typeof value.name === 'string' &&
    'body' in value &&
    typeof value.body === 'string'
  );
}
