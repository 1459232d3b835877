import { DefinitionError } from '../errors/setup-errors.ts';
import { findUnknownKey, unknownKeyText, type KnownKeys } from '../util/known-keys.ts';
import { frozenCopy } from '../util/frozen-copy.ts';
import { utf8Length } from '../util/to-json-value.ts';
import { skillResourcePath } from './resource-path.ts';
import { isSkillName } from './skill-name.ts';
import { sliceLines } from './slice-lines.ts';
import type {
  Skill,
  SkillDefinition,
  SkillMetadata,
  SkillProvider,
  SkillResource,
} from './types.ts';

const KNOWN: KnownKeys<SkillDefinition> = {
  name: true,
  description: true,
  license: true,
  compatibility: true,
  metadata: true,
  allowedTools: true,
  disableModelInvocation: true,
  body: true,
  resources: true,
};

interface Entry {
  readonly skill: Skill;
  readonly texts: ReadonlyMap<string, string>;
}

/**
 * Skills that are part of the program: no files, so they also work in Workers. Throws if a definition is invalid, with a
 * message that says what to do.
 *
 * @example
 * inCodeSkillProvider([{ name: 'refunds', description: 'How to refund an order.', body: 'Ask for the order first.' }]);
 */
export function inCodeSkillProvider(definitions: readonly SkillDefinition[]): SkillProvider {
  if (!Array.isArray(definitions))
    throw new DefinitionError('`skills` must be a list of skills or a SkillProvider.');
  const entries = new Map<string, Entry>();
  for (const definition of definitions as readonly SkillDefinition[]) {
    const entry = toEntry(definition);
    const { name } = entry.skill;
    if (entries.has(name))
      throw new DefinitionError(`Two skills are named "${name}"; rename one of them.`);
    entries.set(name, entry);
  }
  return {
    listSkills: async () => [...entries.values()].map(({ skill }) => toMetadata(skill)),
    getSkill: async (name) => entries.get(name)?.skill ?? null,
    readResource: async (name, path, range) => {
      const safe = skillResourcePath(path);
      const text = safe === null ? undefined : entries.get(name)?.texts.get(safe);
      return text === undefined ? null : sliceLines(text, range);
    },
  };
}

function toMetadata({ body: _body, resources: _resources, ...metadata }: Skill): SkillMetadata {
  return metadata;
}

function toEntry(definition: SkillDefinition): Entry {
  if (typeof definition !== 'object' || definition === null)
    throw new DefinitionError('A skill must be an object with `name`, `description` and `body`.');
  const { name, description, body, resources = {} } = definition;
  if (!isSkillName(name)) {
    throw new DefinitionError(
      `Skill "${String(name)}": a skill's \`name\` must be 1 to 64 of a-z, 0-9 and single hyphens between them.`,
    );
  }
  const owner = `Skill "${name}"`;
  const unknown = findUnknownKey(definition, KNOWN);
  if (unknown) {
    const text = unknownKeyText(unknown, 'a skill', KNOWN);
    throw new DefinitionError(`${owner}: \`${unknown.key}\` ${text}`);
  }
  if (typeof description !== 'string' || description.trim() === '')
    throw new DefinitionError(`${owner} needs a \`description\`: the model chooses it by that.`);
  if (typeof body !== 'string')
    throw new DefinitionError(`${owner} needs a \`body\`: the text of its instructions.`);
  checkFields(owner, definition);
  const { listed, texts } = toResources(owner, resources);
  return { skill: frozenCopy({ ...definition, resources: listed }), texts };
}

function checkFields(owner: string, definition: SkillDefinition): void {
  for (const [field, { is, what }] of Object.entries(FIELDS)) {
    const value: unknown = Reflect.get(definition, field);
    if (value === undefined || is(value)) continue;
    throw new DefinitionError(`${owner}: \`${field}\` must be ${what}.`);
  }
}

const isText = (value: unknown): boolean => typeof value === 'string';

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const FIELDS: Readonly<
  Record<string, { readonly is: (value: unknown) => boolean; readonly what: string }>
> = {
  license: { is: isText, what: 'a text' },
  compatibility: { is: isText, what: 'a text' },
  metadata: {
    is: (value) => isRecord(value) && Object.values(value).every(isText),
    what: 'an object of texts',
  },
  allowedTools: {
    is: (value) => Array.isArray(value) && value.every(isText),
    what: 'a list of texts',
  },
  disableModelInvocation: {
    is: (value) => typeof value === 'boolean',
    what: 'true or false',
  },
  resources: { is: isRecord, what: 'an object of files by path' },
};

function toResources(
  owner: string,
  resources: NonNullable<SkillDefinition['resources']>,
): { readonly listed: readonly SkillResource[]; readonly texts: Entry['texts'] } {
  const texts = new Map<string, string>();
  const listed = Object.entries(resources).map(([path, content]): SkillResource => {
    if (skillResourcePath(path) !== path) {
      throw new DefinitionError(
        `${owner}: the resource "${path}" needs a plain relative path, such as "references/limits.md".`,
      );
    }
    if (typeof content === 'string') {
      texts.set(path, content);
      return { path, size: utf8Length(content), binary: false };
    }
    if (!Number.isSafeInteger(content?.size) || content.size < 0)
      throw new DefinitionError(`${owner}: the resource "${path}" must be a text or { size }.`);
    return { path, size: content.size, binary: true };
  });
  return { listed, texts };
}
