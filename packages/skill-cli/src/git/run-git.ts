import { spawn, type ChildProcess } from 'node:child_process';
import { SkillSyncError } from '../errors.ts';
import { visibleLines } from '../visible.ts';
import type { Transport } from './source-url.ts';

/** Where commands of git run, and for how long. */
export interface GitPlace {
  /** A bare repository of our own. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

export interface GitOptions {
  readonly transport?: Transport;
  readonly input?: string;
  /** Takes the output piece by piece; what it throws ends the command. Without it the output is returned. */
  readonly onOutput?: (piece: Buffer) => void;
  /** Exit codes that are an answer, not a failure. */
  readonly answers?: readonly number[];
}

export interface GitResult {
  readonly code: number;
  readonly output: Buffer;
}

/** Whatever the settings of the user say: no hook runs, nothing is checked out, objects are checked as they come in. */
const SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.bigFileThreshold=1m',
  'fetch.fsckObjects=true',
  'fetch.unpackLimit=1',
  'fetch.recurseSubmodules=no',
  'fetch.writeCommitGraph=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'protocol.version=2',
  'http.lowSpeedLimit=1',
  'http.lowSpeedTime=60',
].flatMap((setting) => ['-c', setting]);

/** Variables by which a hook or a script of git points its commands to another repository. */
const OF_ANOTHER_REPOSITORY =
  /^GIT_(DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|NAMESPACE|PREFIX|SHALLOW_FILE|GRAFT_FILE|REPLACE_REF_BASE|TRACE.*|EXTERNAL_DIFF)$/;
/** What a redirect, or a setting of the user that rewrites addresses, may lead to. */
const ALLOWED: Readonly<Record<Transport, string>> = {
  https: 'https:ssh',
  ssh: 'https:ssh',
  file: 'file',
  http: 'http',
};
const MAX_COMPLAINT = 4_000;

/** Runs git, without a shell. What it starts ends with it, also when it takes too long or the signal comes. */
export async function runGit(
  place: GitPlace,
  args: readonly string[],
  options: GitOptions = {},
): Promise<GitResult> {
  const timeout = AbortSignal.timeout(place.timeoutMs);
  const signal = AbortSignal.any([place.signal, timeout]);
  signal.throwIfAborted();
  const child = spawn('git', [`--git-dir=${place.directory}`, ...SETTINGS, ...args], {
    cwd: place.directory,
    env: environment(place, options.transport),
    stdio: ['pipe', 'pipe', 'pipe'],
    // A group of its own: helpers of git are ended with it, and none can ask at the terminal.
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  const end = (): void => endGroup(child);
  signal.addEventListener('abort', end, { once: true });
  try {
    const { code, output, complaint, broken } = await outcomeOf(child, options);
    if (broken !== undefined) throw broken;
    if (timeout.aborted) throw tooSlow(args, place.timeoutMs);
    signal.throwIfAborted();
    if (code === 0 || options.answers?.includes(code)) return { code, output };
    throw new SkillSyncError('skills_fetch_failed', `git ${commandOf(args)} failed: ${complaint}`);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

interface Outcome {
  readonly code: number;
  readonly output: Buffer;
  readonly complaint: string;
  readonly broken?: Error;
}

function outcomeOf(child: ChildProcess, { input = '', onOutput }: GitOptions): Promise<Outcome> {
  const pieces: Buffer[] = [];
  let complaint = '';
  let broken: Error | undefined;
  child.stdout?.on('data', (piece: Buffer) => {
    if (broken) return;
    if (!onOutput) return void pieces.push(piece);
    try {
      onOutput(piece);
    } catch (error) {
      broken = error instanceof Error ? error : new Error(String(error));
      endGroup(child);
    }
  });
  child.stderr?.on('data', (piece: Buffer) => {
    complaint = (complaint + piece.toString()).slice(-MAX_COMPLAINT);
  });
  // A command that ended early reads no more; its exit code says why.
  child.stdin?.on('error', () => {});
  child.stdin?.end(input);
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(notStarted(error)));
    // Not `close`: a connection that ssh keeps for later holds stderr open.
    let code: number | null | undefined;
    let isRead = false;
    const finish = (): void => {
      if (code === undefined || !isRead) return;
      child.stderr?.destroy();
      const said = visibleLines(complaint.trim()) || 'it said nothing';
      const output = Buffer.concat(pieces);
      resolve({ code: code ?? -1, output, complaint: said, ...(broken && { broken }) });
    };
    child.once('exit', (exitCode) => {
      code = exitCode;
      finish();
    });
    child.stdout?.once('close', () => {
      isRead = true;
      finish();
    });
  });
}

function environment(place: GitPlace, transport: Transport | undefined): NodeJS.ProcessEnv {
  const inherited = Object.entries(place.env).filter(([name]) => !OF_ANOTHER_REPOSITORY.test(name));
  return {
    ...Object.fromEntries(inherited),
    GIT_TERMINAL_PROMPT: '0',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_ALLOW_PROTOCOL: transport === undefined ? '' : ALLOWED[transport],
    LC_ALL: 'C',
  };
}

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Nothing of it is left.
  }
}

function commandOf(args: readonly string[]): string {
  return args.find((arg) => !arg.startsWith('-')) ?? '';
}

function notStarted(error: Error): SkillSyncError {
  const missing = 'code' in error && error.code === 'ENOENT';
  const what = missing
    ? 'git is not installed, or not in PATH'
    : `git did not start: ${error.message}`;
  return new SkillSyncError('skills_fetch_failed', `${what}.`, error);
}

function tooSlow(args: readonly string[], timeoutMs: number): SkillSyncError {
  return new SkillSyncError(
    'skills_limit_exceeded',
    `git ${commandOf(args)} took longer than ${timeoutMs} ms. Try again, or raise \`limits.fetchMs\` in the manifest.`,
  );
}
