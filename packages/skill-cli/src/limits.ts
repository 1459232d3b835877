/** How much a sync takes from a source. Each may be set in the manifest. */
export interface SyncLimits {
  /** What a fetch may receive. */
  readonly fetchBytes: number;
  /** How long one command of git may take. */
  readonly fetchMs: number;
  /** One text file of a skill. */
  readonly fileBytes: number;
  /** All text files of a skill. */
  readonly skillBytes: number;
  /** The generated module. */
  readonly moduleBytes: number;
}

export const DEFAULT_LIMITS: SyncLimits = {
  fetchBytes: 256 * 1024 * 1024,
  fetchMs: 600_000,
  fileBytes: 256 * 1024,
  skillBytes: 2 * 1024 * 1024,
  moduleBytes: 5 * 1024 * 1024,
};

/** A binary file is only listed, but it is read once, for the hash. */
export const MAX_READ_BYTES: number = 32 * 1024 * 1024;
/** Files of one skill, binary ones included. */
export const MAX_SKILL_FILES = 1_000;
/** Files of the folders that are searched for skills. A few objects of git can name billions. */
export const MAX_TREE_FILES = 100_000;
export const MAX_TREE_OUTPUT_BYTES: number = 32 * 1024 * 1024;
/** `marketplace.json`, `plugin.json`. */
export const MAX_MANIFEST_BYTES: number = 4 * 1024 * 1024;
