import type { Capability, CapabilitySession } from '../capability/types.ts';
import { utf8Length } from '../util/to-json-value.ts';
import { generateSkillsSystemPromptFragment, type ActiveSkill } from './prompt-fragment.ts';
import { askForSkill, askForSkills, PROVIDER_MS } from './provider-answers.ts';
import { createSkillTools } from './skill-tools.ts';
import type { SkillProvider } from './types.ts';

export const SKILLS_CAPABILITY = 'skills';

/** In bytes. More than this in every prompt of a session is worth a warning. */
const CATALOGUE_BUDGET = 20_000;
const PRELOAD_BUDGET = 50_000;

/** Skills as a capability: the catalogue and preloaded bodies in the prompt, and the two tools. */
export function skillsCapability(
  provider: SkillProvider,
  preload: readonly string[] = [],
): Capability {
  return {
    name: SKILLS_CAPABILITY,
    timeoutMs: PROVIDER_MS,
    tools: createSkillTools(provider, new Set(preload)),
    prompt: (session) => skillsPrompt(session, provider, preload),
  };
}

async function skillsPrompt(
  session: CapabilitySession,
  provider: SkillProvider,
  preload: readonly string[],
): Promise<string> {
  const [skills, bodies] = await Promise.all([
    askForSkills(provider, session),
    Promise.all([...new Set(preload)].map((name) => preloaded(session, provider, name))),
  ]);
  const active = bodies.filter((body) => body !== null);
  const { logger } = session;
  const text = generateSkillsSystemPromptFragment(skills, active);
  const list = generateSkillsSystemPromptFragment(skills);
  const catalogue = tooMuch(session, CATALOGUE_BUDGET, utf8Length(list));
  if (catalogue) logger.warn('skills.catalogue_large', catalogue);
  const preloads = tooMuch(session, PRELOAD_BUDGET, utf8Length(text) - utf8Length(list));
  if (preloads) logger.warn('skills.preload_large', preloads);
  return text;
}

async function preloaded(
  session: CapabilitySession,
  provider: SkillProvider,
  name: string,
): Promise<ActiveSkill | null> {
  const skill = await askForSkill(provider, session, name);
  if (skill) return skill;
  session.logger.warn('skills.preload_unknown', {
    sessionId: session.sessionId,
    skill: name,
    message: 'There is no skill of this name to preload; the run goes on without it.',
  });
  return null;
}

/** The warning about a text that is larger than its budget. */
function tooMuch({ sessionId }: CapabilitySession, budget: number, bytes: number): object | null {
  if (bytes <= budget) return null;
  const message = 'Every model call of the session pays for this text.';
  return { sessionId, bytes, budget, message };
}
