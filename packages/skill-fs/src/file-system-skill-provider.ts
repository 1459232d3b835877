import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  DefinitionError,
  HelixError,
  isSkillName,
  skillResourcePath,
  sliceLines,
  toLogger,
  type AnyLogger,
  type ReadResourceRange,
  type Skill,
  type SkillMetadata,
  type SkillProvider,
} from '@helix-agents/core';
import { refuseUnknownOptions } from '@helix-agents/core/host';
import { Catalogue, type FoundSkill } from './catalogue.ts';
import { isReadable, listResources } from './list-resources.ts';
import { openInside } from './open-inside.ts';
import { readText } from './read-text.ts';

export interface FileSystemSkillProviderOptions {
  /**
   * Folders that hold skills as `<root>/<name>/SKILL.md`. Of skills with the same name, the one in the later root counts.
   * Relative paths begin at the working directory of the process.
   */
  readonly roots: readonly (string | URL)[];
  /** Takes a skill whose name is not its folder's, and one without a proper name under that of its folder. Both with a warning. Default: false. */
  readonly lenient?: boolean;
  /** For how long the disk is not asked again whether a skill was added, edited or removed. Default: 2000. */
  readonly stalenessCheckCooldownMs?: number;
  /** Is told which skills were skipped, and why. */
  readonly logger?: AnyLogger;
}

const OPTIONS = { roots: true, lenient: true, stalenessCheckCooldownMs: true, logger: true };
const DEFAULT_COOLDOWN_MS = 2_000;
/** What a model may read of: the whole file is in memory while it does. */
const MAX_RESOURCE_BYTES = 10_000_000;

/**
 * Skills from folders of this machine. What is wrong with one skill is logged and the skill left out. No file outside of the roots
 * is read, whatever links lead there.
 *
 * @example
 * fileSystemSkillProvider({ roots: ['./skills'] });
 */
export function fileSystemSkillProvider(options: FileSystemSkillProviderOptions): SkillProvider {
  const { cooldownMs, ...checked } = check(options);
  const catalogue = new Catalogue(checked);
  const findAll = fresh(() => catalogue.look(), cooldownMs);
  const find = async (name: string): Promise<FoundSkill | undefined> =>
    isSkillName(name) ? (await findAll()).get(name) : undefined;
  return {
    listSkills: async (): Promise<SkillMetadata[]> =>
      [...(await findAll()).values()].map(({ skill }) => skill),
    getSkill: async (name): Promise<Skill | null> => {
      const found = await find(name);
      if (!found) return null;
      const loaded = await catalogue.load(found);
      // The file may have been edited since: another name is another skill.
      if (!loaded.ok || loaded.skill.name !== name) return null;
      return { ...loaded.skill, resources: await listResources(found) };
    },
    readResource: async (name, path, range): Promise<string | null> => {
      const safe = skillResourcePath(path);
      if (safe === null || !isReadable(safe)) return null;
      const found = await find(name);
      return found ? readResource(found, safe, range) : null;
    },
  };
}

async function readResource(
  found: FoundSkill,
  path: string,
  range: ReadResourceRange | undefined,
): Promise<string | null> {
  const opened = await openInside(found, path, async (file, { size }) =>
    size > MAX_RESOURCE_BYTES ? undefined : readText(file, MAX_RESOURCE_BYTES),
  );
  if (!opened.ok || opened.value === null) return null;
  if (opened.value !== undefined) return sliceLines(opened.value, range);
  throw new HelixError({
    code: 'tool_result_too_large',
    message: `The file "${path}" is larger than ${MAX_RESOURCE_BYTES} bytes and cannot be read.`,
  });
}

/** Asks again when the last answer is older than `cooldownMs`. Callers at the same time share one answer; a failure is not kept. */
function fresh<Answer>(ask: () => Promise<Answer>, cooldownMs: number): () => Promise<Answer> {
  let last: { readonly answer: Answer; readonly at: number } | undefined;
  let asking: Promise<Answer> | undefined;
  return async () => {
    if (last && performance.now() - last.at < cooldownMs) return last.answer;
    asking ??= ask()
      .then((answer) => {
        last = { answer, at: performance.now() };
        return answer;
      })
      .finally(() => (asking = undefined));
    return asking;
  };
}

function check(options: FileSystemSkillProviderOptions): {
  readonly roots: readonly string[];
  readonly lenient: boolean;
  readonly logger: ReturnType<typeof toLogger>;
  readonly cooldownMs: number;
} {
  const owner = 'fileSystemSkillProvider';
  if (typeof options !== 'object' || options === null) {
    throw new DefinitionError(`${owner} takes options, as in { roots: ['./skills'] }.`);
  }
  refuseUnknownOptions(owner, options, { of: owner, known: OPTIONS });
  const {
    roots,
    lenient = false,
    stalenessCheckCooldownMs: cooldownMs = DEFAULT_COOLDOWN_MS,
  } = options;
  if (!Array.isArray(roots) || roots.length === 0) {
    throw new DefinitionError(`${owner}: \`roots\` must be a list of folders, as in ['./skills'].`);
  }
  if (typeof cooldownMs !== 'number' || !(cooldownMs >= 0)) {
    throw new DefinitionError(`${owner}: \`stalenessCheckCooldownMs\` must be a number from 0.`);
  }
  if (typeof lenient !== 'boolean')
    throw new DefinitionError(`${owner}: \`lenient\` must be true or false.`);
  return { roots: roots.map(toPath), lenient, logger: toLogger(options.logger), cooldownMs };
}

function toPath(root: unknown): string {
  try {
    if (root instanceof URL || (typeof root === 'string' && /^file:\/\//i.test(root)))
      return resolve(fileURLToPath(root));
  } catch (cause) {
    throw badRoot(cause);
  }
  const isPath =
    typeof root === 'string' && root !== '' && !/\0|^[a-z][a-z\d+.-]+:\/\//i.test(root);
  if (isPath) return resolve(root);
  throw badRoot();
}

function badRoot(cause?: unknown): DefinitionError {
  return new DefinitionError(
    'fileSystemSkillProvider: each of `roots` must be the path of a folder, or a file: URL.',
    cause,
  );
}
