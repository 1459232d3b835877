/**
 * What the frontmatter of a skill holds. Every scalar is the text that was written: `version: 1.10` is not the number 1.1.
 * Maps are `Map`s, so no key, `__proto__` for one, means anything to the language.
 */
export type FrontmatterValue = string | readonly FrontmatterValue[] | FrontmatterMap;
export type FrontmatterMap = ReadonlyMap<string, FrontmatterValue>;

export const MAX_DEPTH = 8;

/** The frontmatter cannot be read, for a reason that can be shown. */
export class FrontmatterFault extends Error {
  override readonly name = 'FrontmatterFault';
}

export function checkDepth(depth: number): void {
  if (depth > MAX_DEPTH)
    throw new FrontmatterFault(`the frontmatter is nested deeper than ${MAX_DEPTH} levels`);
}
