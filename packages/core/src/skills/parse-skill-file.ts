import { utf8Length } from '../util/to-json-value.ts';
import { splitAllowedTools } from './allowed-tools.ts';
import { readFrontmatter } from './frontmatter/read-frontmatter.ts';
import { FrontmatterFault, type FrontmatterMap } from './frontmatter/value.ts';
import { isSkillName } from './skill-name.ts';
import type { SkillMetadata } from './types.ts';

export const MAX_SKILL_FILE_BYTES = 1_000_000;
export const MAX_DESCRIPTION_LENGTH = 1_024;
const MAX_FRONTMATTER_LENGTH = 65_536;
const MAX_COMPATIBILITY_LENGTH = 500;

export interface ParseSkillOptions {
  /** The name of the folder that the file is in; the skill has to have the same. */
  readonly directory?: string;
  /** Takes a skill whose name is not its folder's, and one without a proper name under that of its folder. Both with a warning. */
  readonly lenient?: boolean;
}

/** A skill without the files beside it. */
export interface ParsedSkill extends SkillMetadata {
  readonly body: string;
}

export type ParseSkillResult =
  | { readonly ok: true; readonly skill: ParsedSkill; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly reason: string };

/**
 * Reads a `SKILL.md`: frontmatter between two lines `---`, then the body. Fields that it does not know are left out. Never throws.
 *
 * @example
 * parseSkillFile('---\nname: refunds\ndescription: How to refund an order.\n---\nAsk for the order first.');
 */
export function parseSkillFile(text: string, options: ParseSkillOptions = {}): ParseSkillResult {
  if (typeof text !== 'string') return refuse('it is no text');
  if (text.length > MAX_SKILL_FILE_BYTES || utf8Length(text) > MAX_SKILL_FILE_BYTES)
    return refuse(`it is larger than ${MAX_SKILL_FILE_BYTES} bytes`);
  const parts = splitFile(text);
  if (typeof parts === 'string') return refuse(parts);
  try {
    return toSkill(readFrontmatter(parts.frontmatter), parts.body, options);
  } catch (error) {
    if (error instanceof FrontmatterFault) return refuse(error.message);
    throw error;
  }
}

function refuse(reason: string): ParseSkillResult {
  return { ok: false, reason };
}

function splitFile(text: string): { readonly frontmatter: string; readonly body: string } | string {
  const plain = text.replace(/^\u{feff}/u, '').replaceAll('\r\n', '\n');
  const opening = /^---[ \t]*\n/.exec(plain);
  if (!opening) return 'it has no frontmatter: its first line must be "---"';
  const rest = plain.slice(opening[0].length);
  const closing = /(?:^|\n)---[ \t]*(?:\n|$)/.exec(rest);
  if (!closing) return 'its frontmatter is not closed by a line "---"';
  if (closing.index > MAX_FRONTMATTER_LENGTH)
    return `its frontmatter is longer than ${MAX_FRONTMATTER_LENGTH} characters`;
  const body = rest.slice(closing.index + closing[0].length);
  return { frontmatter: rest.slice(0, closing.index), body: body.replace(/^\n+/, '').trimEnd() };
}

function toSkill(
  fields: FrontmatterMap,
  body: string,
  { directory, lenient = false }: ParseSkillOptions,
): ParseSkillResult {
  const warnings: string[] = [];
  const name = nameOf(fields, directory, lenient ? warnings : null);
  if ('reason' in name) return refuse(name.reason);
  const description = textOf(fields, 'description');
  if (description === '') return refuse('it has no `description`');
  if (description.length > MAX_DESCRIPTION_LENGTH)
    warnings.push(`its \`description\` is longer than ${MAX_DESCRIPTION_LENGTH} characters`);
  const license = textOf(fields, 'license');
  const compatibility = textOf(fields, 'compatibility');
  if (compatibility.length > MAX_COMPATIBILITY_LENGTH)
    warnings.push(`its \`compatibility\` is longer than ${MAX_COMPATIBILITY_LENGTH} characters`);
  const metadata = metadataOf(fields, warnings);
  const allowedTools = allowedToolsOf(fields, warnings);
  const hidden = /^(?:true|yes|on)$/i.test(textOf(fields, 'disable-model-invocation'));
  const skill: ParsedSkill = {
    name: name.name,
    description,
    ...(license !== '' && { license }),
    ...(compatibility !== '' && { compatibility }),
    ...(metadata && { metadata }),
    ...(allowedTools && { allowedTools }),
    ...(hidden && { disableModelInvocation: true }),
    body,
  };
  return { ok: true, skill, warnings };
}

/** `warnings` is null where nothing is forgiven. */
function nameOf(
  fields: FrontmatterMap,
  directory: string | undefined,
  warnings: string[] | null,
): { readonly name: string } | { readonly reason: string } {
  const name = textOf(fields, 'name');
  if (!isSkillName(name)) {
    const fault =
      name === ''
        ? 'it has no `name`'
        : `its \`name\` "${name.slice(0, 80)}" is not 1 to 64 of a-z, 0-9 and single hyphens`;
    if (!warnings || directory === undefined || !isSkillName(directory)) return { reason: fault };
    warnings.push(`${fault}; its folder's is taken`);
    return { name: directory };
  }
  if (directory === undefined || name === directory) return { name };
  const fault = `its \`name\` "${name}" is not that of its folder "${directory.slice(0, 80)}"`;
  if (!warnings) return { reason: fault };
  warnings.push(fault);
  return { name };
}

function textOf(fields: FrontmatterMap, key: string): string {
  const value = fields.get(key);
  return typeof value === 'string' ? value.trim() : '';
}

function metadataOf(
  fields: FrontmatterMap,
  warnings: string[],
): Readonly<Record<string, string>> | null {
  const value = fields.get('metadata');
  if (value === undefined || value === '') return null;
  if (!(value instanceof Map)) {
    warnings.push('its `metadata` is no map and was left out');
    return null;
  }
  const entries = [...value].filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  if (entries.length < value.size)
    warnings.push('values of its `metadata` that are no text were left out');
  return entries.length === 0 ? null : Object.fromEntries(entries);
}

function allowedToolsOf(fields: FrontmatterMap, warnings: string[]): readonly string[] | null {
  const value = fields.get('allowed-tools');
  if (value === undefined || value === '') return null;
  if (typeof value === 'string') return splitAllowedTools(value);
  const items = Array.isArray(value)
    ? value.filter((item): item is string => typeof item === 'string' && item !== '')
    : [];
  if (items.length === 0) {
    warnings.push('its `allowed-tools` is no list of names and was left out');
    return null;
  }
  return items;
}
