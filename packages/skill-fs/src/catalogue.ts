import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  DefinitionError,
  MAX_SKILL_FILE_BYTES,
  parseSkillFile,
  type Logger,
  type ParsedSkill,
  type ParseSkillResult,
} from '@helix-agents/core';
import { SKILL_FILE } from './list-resources.ts';
import { openInside, type SkillFolder } from './open-inside.ts';
import { readText } from './read-text.ts';

export interface SkillPlace extends SkillFolder {
  /** The name of the folder. */
  readonly directory: string;
}

/** A skill as it was found: where it is, without its text. */
export interface FoundSkill extends SkillPlace {
  readonly skill: Omit<ParsedSkill, 'body'>;
}

export interface CatalogueOptions {
  readonly roots: readonly string[];
  readonly lenient: boolean;
  readonly logger: Logger;
}

/** One folder of a root that has something called `SKILL.md`, in whatever case. */
interface Candidate extends SkillPlace {
  /** Changes with every edit. */
  readonly signature: string;
}

interface Known {
  readonly signature: string;
  readonly found: FoundSkill | null;
}

const AT_ONCE = 32;

/**
 * The skills of some roots. Each look at the disk asks for the state of every `SKILL.md` and reads those that changed; what is
 * wrong with one is logged when it is read, so once per edit.
 */
export class Catalogue {
  readonly #options: CatalogueOptions;
  #known: ReadonlyMap<string, Known> = new Map();

  constructor(options: CatalogueOptions) {
    this.#options = options;
  }

  async look(): Promise<ReadonlyMap<string, FoundSkill>> {
    const candidates: Candidate[] = [];
    for (const root of this.#options.roots) candidates.push(...(await candidatesOf(root)));
    const known = new Map<string, Known>();
    const read = async (candidate: Candidate): Promise<void> => {
      const before = this.#known.get(candidate.folder);
      const { signature } = candidate;
      const isSame = before?.signature === signature;
      known.set(
        candidate.folder,
        isSame ? before : { signature, found: await this.#read(candidate) },
      );
    };
    await inParts(candidates, read);
    const isChanged =
      known.size !== this.#known.size ||
      [...known].some(([at, one]) => this.#known.get(at) !== one);
    this.#known = known;
    return this.#byName(candidates, isChanged);
  }

  /** The skill of a folder as its file is now. */
  async load(place: SkillPlace): Promise<ParseSkillResult> {
    const { directory } = place;
    const opened = await openInside(place, SKILL_FILE, async (file, { size }) =>
      size > MAX_SKILL_FILE_BYTES ? undefined : readText(file, MAX_SKILL_FILE_BYTES + 1),
    );
    if (!opened.ok) return { ok: false, reason: REASONS[opened.reason] };
    if (opened.value === undefined) {
      return { ok: false, reason: `it is larger than ${MAX_SKILL_FILE_BYTES} bytes` };
    }
    if (opened.value === null) return { ok: false, reason: 'it is no UTF-8 text' };
    return parseSkillFile(opened.value, { directory, lenient: this.#options.lenient });
  }

  async #read({ root, folder, directory }: Candidate): Promise<FoundSkill | null> {
    const place = { root, folder, directory };
    const path = join(folder, SKILL_FILE);
    const loaded = await this.load(place);
    if (!loaded.ok) return this.#skip(path, loaded.reason);
    for (const warning of loaded.warnings) {
      this.#options.logger.warn('skill_files.warning', { path, warning });
    }
    const { body: _, ...skill } = loaded.skill;
    return { ...place, skill };
  }

  /** Of two skills with one name in one root the first folder stays; a later root replaces an earlier one. */
  #byName(candidates: readonly Candidate[], isChanged: boolean): Map<string, FoundSkill> {
    const byName = new Map<string, FoundSkill>();
    for (const { folder } of candidates) {
      const found = this.#known.get(folder)?.found;
      if (!found) continue;
      const { name } = found.skill;
      const other = byName.get(name);
      if (other?.root !== found.root) byName.set(name, found);
      if (!other || other.folder === folder || !isChanged) continue;
      if (other.root === found.root) {
        this.#skip(join(folder, SKILL_FILE), `${other.folder} has the same name "${name}"`);
      } else {
        this.#options.logger.debug?.('skill_files.replaced', { path: other.folder, by: folder });
      }
    }
    return byName;
  }

  #skip(path: string, reason: string): null {
    this.#options.logger.warn('skill_files.skipped', { path, reason });
    return null;
  }
}

const REASONS = {
  missing: 'there is no file of exactly this name',
  outside: 'it leads out of its root',
  hidden: 'it leads to a hidden file',
  'not-a-file': 'it is no regular file',
  unreadable: 'it cannot be read',
};

async function candidatesOf(given: string): Promise<Candidate[]> {
  const root = await realpath(given).catch((cause: unknown) => {
    throw missingRoot(given, cause);
  });
  const entries = await readdir(root, { withFileTypes: true }).catch((cause: unknown) => {
    throw missingRoot(given, cause);
  });
  const names = entries
    .filter(
      (entry) => !entry.name.startsWith('.') && (entry.isDirectory() || entry.isSymbolicLink()),
    )
    .map(({ name }) => name)
    .toSorted();
  const found = new Map<string, Candidate>();
  await inParts(names, async (directory) => {
    const folder = join(root, directory);
    const signature = await signatureOf(folder);
    if (signature !== null) found.set(directory, { root, folder, directory, signature });
  });
  return names.flatMap((name) => found.get(name) ?? []);
}

/** Null where there is no skill. A tool that keeps the time of a file, or its size, does not keep the rest. */
async function signatureOf(folder: string): Promise<string | null> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(join(folder, SKILL_FILE), {
      bigint: true,
    });
    return [dev, ino, size, mtimeNs, ctimeNs].join();
  } catch {
    const names = await readdir(folder).catch(() => []);
    return names.find((name) => name.toLowerCase() === SKILL_FILE.toLowerCase()) ?? null;
  }
}

async function inParts<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < items.length; at += AT_ONCE) {
    await Promise.all(items.slice(at, at + AT_ONCE).map(work));
  }
}

function missingRoot(root: string, cause: unknown): DefinitionError {
  return new DefinitionError(
    `fileSystemSkillProvider: the root ${root} is no folder that can be read. Create it, or take it out of \`roots\`.`,
    cause,
  );
}
