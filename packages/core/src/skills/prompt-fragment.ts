import { MAX_DESCRIPTION_LENGTH } from './parse-skill-file.ts';
import { listedResources } from './skill-files.ts';
import { byCodeUnit, escapeText, skillBlock } from './skill-text.ts';
import type { SkillMetadata, SkillResource } from './types.ts';

/** Instructions first, then the catalogue. The last sentence is needed: models call skills as if they were tools. */
const HEADING = `## Skills

A skill is a set of instructions for one kind of task. Before you start on a task that fits the description of a skill below, call load_skill with the name of that skill, and follow what it says. A file that a loaded skill lists can be read with read_skill_file.
A skill is NOT a tool: never call the name of a skill as a tool. Call load_skill instead.`;

const ACTIVE = `### Active Skills

These skills are loaded already. Follow them; do not load them again.`;

/** A skill whose body is part of the prompt. */
export interface ActiveSkill {
  readonly name: string;
  readonly body: string;
  /** Files that the model may read. */
  readonly resources?: readonly SkillResource[];
}

/**
 * The part of the system prompt that tells a model which skills there are. The same skills give the same bytes, in any order;
 * none give an empty text.
 */
export function generateSkillsSystemPromptFragment(
  skills: readonly SkillMetadata[],
  active: readonly ActiveSkill[] = [],
): string {
  const loaded = new Set(active.map(({ name }) => name));
  const shown = skills.filter((skill) => !skill.disableModelInvocation || loaded.has(skill.name));
  if (shown.length === 0 && active.length === 0) return '';
  const entries = shown
    .toSorted(byCodeUnit)
    .map((skill) => catalogueEntry(skill, loaded.has(skill.name)));
  const catalogue = ['<available_skills>', ...entries, '</available_skills>'].join('\n');
  const bodies = active.toSorted(byCodeUnit).map(activeSkill);
  return [HEADING, catalogue, ...(bodies.length > 0 ? [ACTIVE, ...bodies] : [])].join('\n\n');
}

function catalogueEntry({ name, description }: SkillMetadata, isLoaded: boolean): string {
  const text = escapeText(description, MAX_DESCRIPTION_LENGTH);
  return `<skill name="${escapeText(name)}"${isLoaded ? ' loaded="true"' : ''}>${text}</skill>`;
}

function activeSkill(skill: ActiveSkill): string {
  const files = listedResources(skill.resources);
  return files === '' ? skillBlock(skill) : `${skillBlock(skill)}\n${files}`;
}
