/** What a model knows of a skill before it loads it. */
export interface SkillMetadata {
  /** 1 to 64 of `a-z`, `0-9` and single hyphens between them. */
  readonly name: string;
  /** What the skill does and when to use it: the model chooses by this. */
  readonly description: string;
  readonly license?: string;
  readonly compatibility?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  /** Data only: it grants nothing. */
  readonly allowedTools?: readonly string[];
  /** True: the model is not shown this skill and cannot load it. It can still be preloaded. */
  readonly disableModelInvocation?: boolean;
}

/** A file beside the body of a skill. */
export interface SkillResource {
  /** Relative to the skill, with forward slashes. */
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  /** True: it is listed, and cannot be read as text. */
  readonly binary: boolean;
}

export interface Skill extends SkillMetadata {
  /** The instructions, in Markdown. */
  readonly body: string;
  readonly resources: readonly SkillResource[];
}

/** A skill as plain data, for `inCodeSkillProvider`. */
export interface SkillDefinition extends SkillMetadata {
  readonly body: string;
  /** By path: the text of a file, or the size of a binary one, which is only listed. */
  readonly resources?: Readonly<Record<string, string | { readonly size: number }>>;
}

/** Lines from 1, both ends included. Without an end: to the last line. */
export interface ReadResourceRange {
  readonly startLine?: number;
  readonly endLine?: number;
}

/**
 * Where skills come from. Its methods run inside operations, where I/O is allowed, and may be called by any process at any
 * time. What does not exist is null; what throws, or takes too long, fails the step (catalogue) or the call (the others).
 */
export interface SkillProvider {
  /** In any order. */
  listSkills(): Promise<readonly SkillMetadata[]>;
  getSkill(name: string): Promise<Skill | null>;
  /** The text of a file of a skill. Null also for a path that leads out of the skill, and for a binary file. */
  readResource(name: string, path: string, range?: ReadResourceRange): Promise<string | null>;
}
