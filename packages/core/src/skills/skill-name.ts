export const MAX_SKILL_NAME_LENGTH = 64;
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Letters, digits and single hyphens: never the name of a tool of the framework, never a path. */
export function isSkillName(name: unknown): boolean {
  return typeof name === 'string' && name.length <= MAX_SKILL_NAME_LENGTH && NAME.test(name);
}
