/**
 * Answers of a provider, which is code of others, checked once. What is broken in them is left out with a warning in the log, and what a
 * provider throws is for the log too: a model is told only that it cannot be had.
 */
import type { CapabilitySession } from '../capability/types.ts';
import { errorMessage, HelixError } from '../errors/helix-error.ts';
import { skillResourcePath } from './resource-path.ts';
import { isSkillName } from './skill-name.ts';
import type {
  ReadResourceRange,
  Skill,
  SkillMetadata,
  SkillProvider,
  SkillResource,
} from './types.ts';

/** Who asks. */
export type Asking = Pick<CapabilitySession, 'logger' | 'sessionId' | 'abortSignal' | 'within'>;

/** How long a provider may take, for the catalogue as for one answer. */
export const PROVIDER_MS = 5_000;

/** The skills that can be shown, each once. Throws what the provider throws. */
export async function askForSkills(
  provider: SkillProvider,
  asking: Asking,
): Promise<readonly SkillMetadata[]> {
  const listed: unknown = await provider.listSkills();
  if (!Array.isArray(listed)) throw new TypeError('`listSkills` returned no list.');
  const sound = new Map<string, SkillMetadata>();
  for (const value of listed as readonly unknown[]) {
    const skill = readSafely(() => toMetadata(value));
    if (!skill) {
      const name = readSafely(() => nameIn(value)) ?? 'an object';
      skip(asking, name, 'it has no proper name or description');
    } else if (sound.has(skill.name)) {
      const { logger, sessionId } = asking;
      logger.warn('skills.skill_twice', { sessionId, skill: skill.name });
    } else sound.set(skill.name, skill);
  }
  return [...sound.values()];
}

/** One skill with its body. Null where there is none, or none that can be used. Throws what the provider throws. */
export async function askForSkill(
  provider: SkillProvider,
  asking: Asking,
  name: string,
): Promise<Skill | null> {
  const skill: unknown = await provider.getSkill(name);
  if (skill === null || skill === undefined) return null;
  if (!isObject(skill)) return skip(asking, name, '`getSkill` returned no skill');
  const { body, resources = [], disableModelInvocation, description } = skill;
  if (typeof body !== 'string') return skip(asking, name, 'its `body` is no text');
  return {
    name,
    description: typeof description === 'string' ? description : '',
    body,
    resources: soundResources(asking, name, resources),
    ...(disableModelInvocation ? { disableModelInvocation: true } : {}),
  };
}

/** The text of a file; null where there is none. Throws what the provider throws. */
export async function askForFile(
  provider: SkillProvider,
  asking: Asking,
  { name, path, range }: { name: string; path: string; range?: ReadResourceRange },
): Promise<string | null> {
  const text: unknown = await provider.readResource(name, path, range);
  if (typeof text === 'string' || text === null || text === undefined) return text ?? null;
  return skip(asking, name, '`readResource` returned no text');
}

/** Runs what a call of the model needs of a provider, in its time. The reason of a failure is logged; the model reads `what`. */
export async function forModel<T>(
  { logger, sessionId, abortSignal, within }: Asking,
  what: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await within(PROVIDER_MS, work);
  } catch (error) {
    // The run was stopped: nobody waits for an answer.
    if (abortSignal.aborted) throw error;
    // A limit of the provider, written for the model.
    if (HelixError.isInstance(error) && error.code === 'tool_result_too_large') throw error;
    logger.warn('skills.provider_failed', { sessionId, message: what, error: errorMessage(error) });
    throw new Error(what, { cause: error });
  }
}

function soundResources(
  asking: Asking,
  name: string,
  resources: unknown,
): readonly SkillResource[] {
  const listed: readonly unknown[] | null = Array.isArray(resources) ? resources : null;
  const sound = listed?.flatMap((value) => readSafely(() => toResource(value)) ?? []) ?? [];
  if (sound.length !== listed?.length) {
    const { logger, sessionId } = asking;
    const reason = 'some of its `resources` are no files with path, size and binary';
    logger.warn('skills.files_skipped', { sessionId, skill: name, reason });
  }
  return sound;
}

function skip({ logger, sessionId }: Asking, skill: string, reason: string): null {
  logger.warn('skills.skill_skipped', { sessionId, skill: skill.slice(0, 80), reason });
  return null;
}

/** Null where a getter or a proxy throws. */
function readSafely<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

/** What is shown of a skill, each part read once. */
function toMetadata(value: unknown): SkillMetadata | null {
  if (!isObject(value)) return null;
  const { name, description, disableModelInvocation } = value;
  if (typeof name !== 'string' || !isSkillName(name)) return null;
  if (typeof description !== 'string' || description.trim() === '') return null;
  return { name, description, ...(disableModelInvocation ? { disableModelInvocation: true } : {}) };
}

function toResource(value: unknown): SkillResource | null {
  if (!isObject(value)) return null;
  const { path, size, binary } = value;
  if (typeof path !== 'string' || skillResourcePath(path) === null) return null;
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) return null;
  return typeof binary === 'boolean' ? { path, size, binary } : null;
}

function nameIn(value: unknown): string {
  const name = isObject(value) ? value['name'] : value;
  return typeof name === 'string' ? name : `a ${name === null ? 'null' : typeof name}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
