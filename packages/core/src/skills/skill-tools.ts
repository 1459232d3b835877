import { z } from 'zod';
import { capabilitySession } from '../capability/session-of.ts';
import type { Tool, ToolContext } from '../define/types.ts';
import { askForSkill, forModel, PROVIDER_MS, type Asking } from './provider-answers.ts';
import { listedResources, loadableBody, readableFile } from './skill-files.ts';
import { isSkillName } from './skill-name.ts';
import { collectLoadedSkillNames, LOAD_SKILL, READ_SKILL_FILE, skillBlock } from './skill-text.ts';
import type { Skill, SkillProvider } from './types.ts';

/** A call asks a provider up to three times, and each answer has a time of its own. */
const CALL_MS = 4 * PROVIDER_MS;

interface LoadInput {
  readonly name: string;
  readonly reload?: boolean | undefined;
}

interface ReadInput {
  readonly skill: string;
  readonly path: string;
  readonly startLine?: number | undefined;
  readonly endLine?: number | undefined;
}

/** The tools by which a model gets at skills. The name of a skill is any text, so that the tools are the same for all catalogues. */
export function createSkillTools(
  provider: SkillProvider,
  preloaded: ReadonlySet<string>,
): readonly Tool[] {
  const find: Find = async (name, asking) => {
    const skill = isSkillName(name) ? await askForSkill(provider, asking, name) : null;
    return skill && (!skill.disableModelInvocation || preloaded.has(name)) ? skill : null;
  };
  return [loadSkill(find), readSkillFile(find, provider)];
}

/** Null where there is no such skill for the model. */
type Find = (name: string, asking: Asking) => Promise<Skill | null>;

async function found(find: Find, name: string, asking: Asking): Promise<Skill> {
  const shown = name.slice(0, 80);
  const failed = `The skill "${shown}" cannot be read now. Try again later, or go on without it.`;
  const skill = await forModel(asking, failed, () => find(name, asking));
  if (skill) return skill;
  throw new Error(`There is no skill "${shown}". Use a name of <available_skills>.`);
}

function loadSkill(find: Find): Tool {
  return {
    name: LOAD_SKILL,
    description:
      'Loads the instructions of a skill. Call it before you start on a task that fits the description of the skill.',
    inputSchema: z.object({
      name: z.string().describe('The name of the skill, as in <available_skills>.'),
      reload: z
        .boolean()
        .optional()
        .describe('Gives the instructions again although they were loaded before.'),
    }),
    execution: 'retry',
    timeoutMs: CALL_MS,
    execute: async ({ name, reload = false }: LoadInput, context: ToolContext) => {
      const session = capabilitySession(context);
      const messages = reload ? [] : await session.readMessages();
      if (collectLoadedSkillNames(messages).includes(name)) return alreadyLoaded(name);
      const skill = await found(find, name, session);
      const files = listedResources(skill.resources);
      const block = skillBlock({ name, body: loadableBody(skill) });
      // Last: nothing can fail any more.
      await context.emit('skill_loaded', { name });
      return [block, ...(files === '' ? [] : [files])].join('\n');
    },
  };
}

function alreadyLoaded(name: string): string {
  return `The skill "${name}" is loaded already: its instructions are in the result of an earlier ${LOAD_SKILL} call. To get them again, call ${LOAD_SKILL} with "reload": true.`;
}

function readSkillFile(find: Find, provider: SkillProvider): Tool {
  const line = z.number().int().min(1).optional();
  return {
    name: READ_SKILL_FILE,
    description: 'Reads a text file that a skill lists, whole or from one line to another.',
    inputSchema: z
      .object({
        skill: z.string().describe('The name of the skill.'),
        path: z.string().describe('The path of the file, as the skill lists it.'),
        startLine: line.describe('The first line to read, from 1.'),
        endLine: line.describe('The last line to read.'),
      })
      .refine(({ startLine = 1, endLine = Infinity }) => startLine <= endLine, {
        path: ['endLine'],
        message: 'must not be before startLine',
      }),
    execution: 'retry',
    timeoutMs: CALL_MS,
    execute: async ({ skill: name, path, ...range }: ReadInput, context: ToolContext) => {
      const session = capabilitySession(context);
      const skill = await found(find, name, session);
      return readableFile(provider, session, skill, path, range);
    },
  };
}
