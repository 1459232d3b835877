import type { Capability, CapabilitySession } from '../capability/types.ts';
import { utf8Length } from '../util/to-json-value.ts';
import { generateSkillsSystemPromptFragment, type ActiveSkill } from './prompt-fragment.ts';
import { isSkillName } from './skill-name.ts';
import { createSkillTools } from './skill-tools.ts';
import type { Skill, SkillMetadata, SkillProvider } from './types.ts';

export const SKILLS_CAPABILITY = 'skills';

/** In bytes. More than this in every prompt of a session is worth a warning. */
const CATALOGUE_BUDGET = 20_000;
const PRELOAD_BUDGET = 50_000;

/** How long a provider may take, for the catalogue as for one call. */
const PROVIDER_MS = 5_000;

/** Skills as a capability: the catalogue and preloaded bodies in the prompt, and the two tools. */
export function skillsCapability(
  provider: SkillProvider,
  preload: readonly string[] = [],
): Capability {
  return {
    name: SKILLS_CAPABILITY,
    timeoutMs: PROVIDER_MS,
    tools: createSkillTools(provider, new Set(preload), PROVIDER_MS),
    prompt: (session) => skillsPrompt(session, provider, preload),
  };
}

async function skillsPrompt(
  session: CapabilitySession,
  provider: SkillProvider,
  preload: readonly string[],
): Promise<string> {
  const [listed, bodies] = await Promise.all([
    provider.listSkills(),
    Promise.all([...new Set(preload)].map((name) => preloaded(session, provider, name))),
  ]);
  const skills = soundSkills(session, listed);
  const active = bodies.filter((body) => body !== null);
  const { logger } = session;
  const catalogue = tooMuch(session, CATALOGUE_BUDGET, generateSkillsSystemPromptFragment(skills));
  if (catalogue) logger.warn('skills.catalogue_large', catalogue);
  const preloads = tooMuch(session, PRELOAD_BUDGET, active.map(({ body }) => body).join(''));
  if (preloads) logger.warn('skills.preload_large', preloads);
  return generateSkillsSystemPromptFragment(skills, active);
}

async function preloaded(
  { logger, sessionId }: CapabilitySession,
  provider: SkillProvider,
  name: string,
): Promise<ActiveSkill | null> {
  const skill: Skill | null = await provider.getSkill(name);
  if (typeof skill?.body === 'string') return { name, body: skill.body };
  logger.warn('skills.preload_unknown', {
    sessionId,
    skill: name,
    message: 'There is no skill of this name to preload; the run goes on without it.',
  });
  return null;
}

/** What a provider lists that cannot be shown, or that it lists twice, is left out; the others are there. */
function soundSkills(
  { logger, sessionId }: CapabilitySession,
  listed: readonly SkillMetadata[],
): readonly SkillMetadata[] {
  const sound = new Map<string, SkillMetadata>();
  for (const skill of listed) {
    const { name, description } = skill;
    if (!isSkillName(name) || typeof description !== 'string' || description.trim() === '')
      logger.warn('skills.skill_skipped', { sessionId, skill: String(name).slice(0, 80) });
    else if (sound.has(name)) logger.warn('skills.skill_twice', { sessionId, skill: name });
    else sound.set(name, skill);
  }
  return [...sound.values()];
}

/** What is said of a text that is larger than its budget. */
function tooMuch({ sessionId }: CapabilitySession, budget: number, text: string): object | null {
  const bytes = utf8Length(text);
  if (bytes <= budget) return null;
  const message = 'Every model call of the session pays for this text.';
  return { sessionId, bytes, budget, message };
}
