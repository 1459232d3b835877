import { utf8Length } from '../util/to-json-value.ts';
import { skillResourcePath } from './resource-path.ts';
import { escapeText } from './skill-text.ts';
import type { ReadResourceRange, Skill, SkillProvider, SkillResource } from './types.ts';

const MAX_LISTED = 100;
/** What one read may add to a transcript. */
const MAX_READ_LENGTH = 50_000;

/** The files of a skill, for the result that loads it. */
export function listedResources(resources: readonly SkillResource[]): string {
  if (resources.length === 0) return '';
  const lines = resources
    .slice(0, MAX_LISTED)
    .map(
      ({ path, size, binary }) => `${escapeText(path)} (${size} bytes${binary ? ', binary' : ''})`,
    );
  const left = resources.length - lines.length;
  const more = left > 0 ? [`and ${left} more`] : [];
  return ['<skill_files>', ...lines, ...more, '</skill_files>'].join('\n');
}

/** A file of a skill as a result: the lines that were asked for, as far as they fit. Throws what the model is told otherwise. */
export async function readableFile(
  provider: SkillProvider,
  { name, resources }: Skill,
  path: string,
  range: { readonly [End in keyof ReadResourceRange]: number | undefined },
): Promise<string> {
  const safe = skillResourcePath(path);
  const { startLine = 1, endLine } = range;
  const lines = { startLine, ...(endLine !== undefined && { endLine }) };
  const text = safe === null ? null : await provider.readResource(name, safe, lines);
  if (typeof text === 'string') return bounded(text, startLine);
  const isBinary = resources.some((resource) => resource.path === safe && resource.binary);
  throw new Error(
    isBinary
      ? `The file "${path.slice(0, 200)}" of the skill "${name}" is binary and cannot be read as text.`
      : `The skill "${name}" has no file "${path.slice(0, 200)}". ${LOAD_HINT}`,
  );
}

const LOAD_HINT = 'load_skill lists the files of a skill.';

function bounded(text: string, startLine: number): string {
  if (text.length <= MAX_READ_LENGTH) return text;
  const lastBreak = text.lastIndexOf('\n', MAX_READ_LENGTH);
  const shown = text.slice(0, lastBreak > 0 ? lastBreak : MAX_READ_LENGTH).toWellFormed();
  const next = startLine + shown.split('\n').length;
  const left = utf8Length(text) - utf8Length(shown);
  const hint = lastBreak > 0 ? `; go on with startLine ${next}` : ', in one long line';
  return `${shown}\n[${left} bytes left out${hint}]`;
}
