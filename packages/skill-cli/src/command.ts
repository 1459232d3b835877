import { isAbsolute, join } from 'node:path';
import { parseArgs } from 'node:util';
import { errorMessage } from '@helix-agents/core';
import { SkillSyncError } from './errors.ts';
import { syncSkills, type SyncOptions } from './sync.ts';
import { visibleLines } from './visible.ts';

/** What the command has of the process that it runs in. */
export interface CommandSurroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ends git and cleans up. */
  readonly signal: AbortSignal;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** How often a slow fetch says how far it is. */
  readonly progressEveryMs?: number;
}

const USAGE = `helix-skills sync [options]

Takes the skills that the manifest names and writes them as a module of plain data.

  --manifest <file>  what to take             (helix.skills.json)
  --out <file>       the module               (src/skills.generated.ts)
  --lock <file>      commits and hashes       (helix.skills.lock)
  --check            writes nothing; fails where the module or the lock is not current

Exit codes: 0 done, 1 a source, the lock or the module is not in order, 2 wrong usage or manifest.
`;

const FILES = {
  manifest: { type: 'string', default: 'helix.skills.json' },
  out: { type: 'string', default: 'src/skills.generated.ts' },
  lock: { type: 'string', default: 'helix.skills.lock' },
  check: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** `helix-skills` with these arguments. Returns the exit code. Whatever it prints, nothing of it steers the terminal. */
export async function runHelixSkills(
  args: readonly string[],
  surroundings: CommandSurroundings,
): Promise<0 | 1 | 2> {
  const stdout = (text: string): void => surroundings.stdout(visibleLines(text));
  const stderr = (text: string): void => surroundings.stderr(visibleLines(text));
  try {
    const options = parse(args, { ...surroundings, stdout, stderr });
    if (options === 'help') {
      stdout(USAGE);
      return 0;
    }
    const { skills, diff, warnings } = await syncSkills(options);
    for (const line of diff) stdout(`${line}\n`);
    for (const warning of warnings) stderr(`warning: ${warning}\n`);
    const count = `${skills.length} ${skills.length === 1 ? 'skill' : 'skills'}`;
    stdout(options.check ? `${count}, current\n` : `${count}: ${skills.join(', ')}\n`);
    return 0;
  } catch (error) {
    stderr(`helix-skills: ${errorMessage(error)}\n`);
    return isMistake(error) ? 2 : 1;
  }
}

function parse(args: readonly string[], surroundings: CommandSurroundings): SyncOptions | 'help' {
  const { values, positionals } = parseOptions(args);
  if (values.help) return 'help';
  if (positionals.length !== 1 || positionals[0] !== 'sync') {
    throw misuse('the command is `helix-skills sync`');
  }
  if (!/\.m?[jt]s$/.test(values.out)) throw misuse('--out must end in .ts, .mts, .js or .mjs');
  const { cwd, env, signal, stderr, progressEveryMs = 3_000 } = surroundings;
  const at = (file: string): string => (isAbsolute(file) ? file : join(cwd, file));
  const files = { manifest: at(values.manifest), out: at(values.out), lock: at(values.lock) };
  if (new Set(Object.values(files)).size < 3) {
    throw misuse('--manifest, --out and --lock must be three different files');
  }
  const tell = (line: string): void => stderr(`${line}\n`);
  return { ...files, check: values.check, env, signal, progressEveryMs, tell };
}

function parseOptions(args: readonly string[]): ReturnType<typeof parseStrictly> {
  try {
    return parseStrictly(args);
  } catch (cause) {
    throw misuse(errorMessage(cause), cause);
  }
}

function parseStrictly(args: readonly string[]) {
  return parseArgs({ args: [...args], options: FILES, allowPositionals: true, strict: true });
}

function misuse(what: string, cause?: unknown): SkillSyncError {
  return new SkillSyncError('skills_usage_invalid', `${what}\n\n${USAGE}`, cause);
}

function isMistake(error: unknown): boolean {
  if (!SkillSyncError.isInstance(error)) return false;
  return error.code === 'skills_usage_invalid' || error.code === 'skills_manifest_invalid';
}
