import type { Capability } from '../capability/types.ts';
import { DefinitionError } from '../errors/setup-errors.ts';
import { isSkillName } from '../skills/skill-name.ts';
import { SKILLS_CAPABILITY } from '../skills/skills-capability.ts';
import type { SkillProvider } from '../skills/types.ts';
import { capabilitiesOf, definedTools } from './agent-capabilities.ts';
import { checkAgentTools, checkStateOfTools } from './check-agent-tools.ts';
import { checkHooks } from './check-hooks.ts';
import { checkTimer } from './check-options.ts';
import { buildEffectiveTools } from './effective-tools.ts';
import { CAPABILITY_OPTIONS } from './option-names.ts';
import { refuseUnknownOptions } from './refuse-unknown.ts';
import type { AgentConfig, Tool } from './types.ts';

/** Names of the framework's own. */
const RESERVED: readonly string[] = [SKILLS_CAPABILITY, 'memory', 'workspace'];
const METHODS = ['listSkills', 'getSkill', 'readResource'] as const;

/** Checks `skills`, `preloadSkills` and `capabilities`, and that all tools together have names of their own. */
export function checkCapabilities(owner: string, agent: AgentConfig): void {
  checkSkills(owner, agent);
  const { capabilities } = agent;
  if (capabilities !== undefined && !Array.isArray(capabilities))
    throw new DefinitionError(`${owner}: \`capabilities\` must be a list.`);
  const seen = new Set<string>();
  for (const capability of capabilities ?? []) {
    checkCapability(owner, capability);
    checkStateOfTools(owner, { ...agent, tools: definedTools(capability) });
    if (seen.has(capability.name)) {
      throw new DefinitionError(
        `${owner}: two capabilities are named "${capability.name}"; rename one of them.`,
      );
    }
    seen.add(capability.name);
  }
  if (capabilitiesOf(agent).length > 0) buildEffectiveTools(agent);
}

function checkSkills(owner: string, { skills, preloadSkills }: AgentConfig): void {
  if (skills !== undefined && !Array.isArray(skills)) {
    const missing =
      typeof skills === 'object' && skills !== null
        ? METHODS.find((method) => typeof (skills as SkillProvider)[method] !== 'function')
        : METHODS[0];
    if (missing !== undefined) {
      throw new DefinitionError(
        `${owner}: \`skills\` must be a list of skills or a SkillProvider, and this has no \`${missing}\`.`,
      );
    }
  }
  if (preloadSkills === undefined) return;
  if (skills === undefined) {
    throw new DefinitionError(
      `${owner}: \`preloadSkills\` names skills, and this agent has none; give it \`skills\`.`,
    );
  }
  const bad = Array.isArray(preloadSkills) && preloadSkills.find((name) => !isSkillName(name));
  if (bad === undefined) return;
  throw new DefinitionError(
    `${owner}: \`preloadSkills\` must be a list of names of skills${bad === false ? '' : `, and "${String(bad)}" is none`}.`,
  );
}

function checkCapability(owner: string, capability: Capability): void {
  if (typeof capability !== 'object' || capability === null || !isSkillName(capability.name)) {
    throw new DefinitionError(
      `${owner}: a capability is an object with a \`name\` of a-z, 0-9 and single hyphens.`,
    );
  }
  const itself = `${owner}, capability "${capability.name}"`;
  if (RESERVED.includes(capability.name))
    throw new DefinitionError(`${itself}: this name belongs to the framework; choose another.`);
  refuseUnknownOptions(itself, capability, CAPABILITY_OPTIONS);
  checkTimer(itself, 'timeoutMs', capability.timeoutMs, 'for the default of 5000');
  checkHooks(itself, capability.hooks);
  const { tools, prompt, beforeStep } = capability;
  if (typeof tools !== 'function') checkAgentTools(itself, tools);
  for (const tool of definedTools(capability)) checkCapabilityTool(itself, tool);
  if (prompt !== undefined && typeof prompt !== 'string' && typeof prompt !== 'function')
    throw new DefinitionError(`${itself}: \`prompt\` must be a text or a function.`);
  if (beforeStep !== undefined && typeof beforeStep !== 'function')
    throw new DefinitionError(`${itself}: \`beforeStep\` must be a function.`);
}

function checkCapabilityTool(owner: string, { name, subAgent, finishWith }: Tool): void {
  const what = subAgent ? 'a sub-agent' : finishWith ? 'a `finishWith` tool' : null;
  if (what === null) return;
  throw new DefinitionError(
    `${owner}: the tool "${name}" is ${what}, which belongs in the \`tools\` of the agent.`,
  );
}

/** Checks the tools that a function of a capability returned for a session. Throws if one of them is invalid. */
export function checkSessionTools(owner: string, tools: readonly Tool[]): void {
  if (!Array.isArray(tools)) throw new DefinitionError(`${owner}: \`tools\` returned no list.`);
  checkAgentTools(owner, tools);
  for (const tool of tools as readonly Tool[]) {
    checkCapabilityTool(owner, tool);
    if (tool.execute !== 'client') continue;
    throw new DefinitionError(
      `${owner}: the client tool "${tool.name}" must be in a list of tools: people may answer it when no run asks for a session's own.`,
    );
  }
}
