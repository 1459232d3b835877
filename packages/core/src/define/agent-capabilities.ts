import type { Capability } from '../capability/types.ts';
import { inCodeSkillProvider } from '../skills/in-code-skill-provider.ts';
import { skillsCapability } from '../skills/skills-capability.ts';
import type { SkillDefinition, SkillProvider } from '../skills/types.ts';
import type { AgentHooks } from './hooks.ts';
import type { AgentConfig, Tool } from './types.ts';

const made = new WeakMap<AgentConfig, readonly Capability[]>();

/** What an agent brings to its runs: the framework's own capabilities first. Made once per definition. */
export function capabilitiesOf(agent: AgentConfig): readonly Capability[] {
  if (!agent.skills && !agent.capabilities) return NONE;
  let capabilities = made.get(agent);
  if (!capabilities) made.set(agent, (capabilities = makeCapabilities(agent)));
  return capabilities;
}

const NONE: readonly Capability[] = [];

function makeCapabilities({
  skills,
  preloadSkills,
  capabilities = [],
}: AgentConfig): readonly Capability[] {
  if (!skills) return capabilities;
  const provider = isDefinitions(skills) ? inCodeSkillProvider(skills) : skills;
  return [skillsCapability(provider, preloadSkills), ...capabilities];
}

function isDefinitions(
  skills: SkillProvider | readonly SkillDefinition[],
): skills is readonly SkillDefinition[] {
  return Array.isArray(skills);
}

/** Tools of a capability that are part of the definition. */
export function definedTools({ tools }: Capability): readonly Tool[] {
  return typeof tools === 'function' ? [] : (tools ?? []);
}

export function hooksOfCapabilities(agent: AgentConfig): readonly (AgentHooks | undefined)[] {
  return capabilitiesOf(agent).map(({ hooks }) => hooks);
}
