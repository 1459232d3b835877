import { utf8Length } from '../util/to-json-value.ts';
import { askForFile, forModel, type Asking } from './provider-answers.ts';
import { skillResourcePath } from './resource-path.ts';
import { escapeText, SKILL_FILE } from './skill-text.ts';
import { sliceLines } from './slice-lines.ts';
import type { ReadResourceRange, Skill, SkillProvider, SkillResource } from './types.ts';

const MAX_LISTED = 100;
const MAX_LISTED_LENGTH = 20_000;
/** What one read may add to a transcript. */
const MAX_READ_LENGTH = 50_000;
/**
 * What loading may add to one. With any characters, this and a list of files are less than what the engine keeps of a result.
 */
const MAX_BODY_LENGTH = 150_000;

/** The files of a skill, to be shown with its body. */
export function listedResources(resources: readonly SkillResource[] = []): string {
  if (resources.length === 0) return '';
  const lines: string[] = [];
  let length = 0;
  for (const { path, size, binary } of resources.slice(0, MAX_LISTED)) {
    const line = `${escapeText(path)} (${size} bytes${binary ? ', binary' : ''})`;
    length += line.length;
    if (length > MAX_LISTED_LENGTH) break;
    lines.push(line);
  }
  const left = resources.length - lines.length;
  const more = left > 0 ? [`and ${left} more`] : [];
  return ['<skill_files>', ...lines, ...more, '</skill_files>'].join('\n');
}

/** The body of a skill as far as it can be loaded at once. */
export function loadableBody({ name, body }: Skill): string {
  return bounded(body, MAX_BODY_LENGTH, (line) => {
    const path = `"skill": "${name}", "path": "${SKILL_FILE}"`;
    return `go on with read_skill_file and ${path}, "startLine": ${line}`;
  });
}

/** A file of a skill as a result: the lines that were asked for, as far as they fit. Throws what the model is told otherwise. */
export async function readableFile(
  provider: SkillProvider,
  asking: Asking,
  skill: Skill,
  path: string,
  range: { readonly [End in keyof ReadResourceRange]: number | undefined },
): Promise<string> {
  const { startLine = 1, endLine } = range;
  const lines = { startLine, ...(endLine !== undefined && { endLine }) };
  const safe = skillResourcePath(path);
  const read = (part?: ReadResourceRange) => readFile(provider, asking, skill, safe, part);
  const text = await read(lines);
  if (text === null) throw new Error(notReadable(skill, path, safe));
  if (text === '' && startLine > 1) refusePastEnd(path, startLine, (await read()) ?? '');
  return bounded(text, MAX_READ_LENGTH, (line) => `go on with startLine ${startLine + line - 1}`);
}

/** `SKILL.md` is the body: a provider has no file of that name. */
async function readFile(
  provider: SkillProvider,
  asking: Asking,
  { name, body }: Skill,
  path: string | null,
  range: ReadResourceRange | undefined,
): Promise<string | null> {
  if (path === null) return null;
  if (path === SKILL_FILE) return sliceLines(body, range);
  const failed = `The file "${path.slice(0, 200)}" cannot be read now. Try again later, or go on without it.`;
  return forModel(asking, failed, () =>
    askForFile(provider, asking, { name, path, ...(range && { range }) }),
  );
}

function notReadable({ name, resources }: Skill, path: string, safe: string | null): string {
  const file = `"${path.slice(0, 200)}"`;
  return resources.some((resource) => resource.path === safe && resource.binary)
    ? `The file ${file} of the skill "${name}" is binary and cannot be read as text.`
    : `The skill "${name}" has no file ${file}. load_skill lists the files of a skill.`;
}

/** A line that is there may be empty; one after the last is a mistake of the model. */
function refusePastEnd(path: string, startLine: number, whole: string): void {
  const count = whole.replace(/\n$/, '').split('\n').length;
  if (startLine <= count) return;
  const lines = count === 1 ? '1 line' : `${count} lines`;
  throw new Error(`The file "${path}" has ${lines}: there is no line ${startLine}.`);
}

/**
 * Cut after a line, or within the first one if that is too long; `next` says how to go on, given the first line of which nothing
 * is shown.
 */
function bounded(text: string, length: number, next: (line: number) => string): string {
  if (text.length <= length) return text;
  const lastBreak = text.lastIndexOf('\n', length);
  const isCut = lastBreak <= 0;
  const shown = text.slice(0, isCut ? length : lastBreak).toWellFormed();
  const left = `${utf8Length(text) - utf8Length(shown)} bytes left out`;
  const nextBreak = text.indexOf('\n', length);
  const isLast = isCut && (nextBreak < 0 || nextBreak === text.length - 1);
  const hints = [
    ...(isCut ? ['this line is too long to be shown whole'] : []),
    ...(isLast ? ['it is the last one'] : [next(shown.split('\n').length + 1)]),
  ];
  return `${shown}\n[${left}; ${hints.join('; ')}]`;
}
