import { mkdtemp, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SkillSyncError } from '../errors.ts';
import type { SyncLimits } from '../limits.ts';
import { visible } from '../visible.ts';
import { runGit, type GitPlace } from './run-git.ts';
import { transportOf } from './source-url.ts';

/** One commit of a repository, in a bare repository of our own. No file of it is ever written to the disk as a file. */
export interface Snapshot {
  readonly place: GitPlace;
  readonly url: string;
  readonly commit: string;
}

/** What fetching needs of the sync that it is part of. */
export interface FetchContext {
  /** A folder of our own; the caller removes it. */
  readonly folder: string;
  readonly env: GitPlace['env'];
  readonly signal: AbortSignal;
  readonly limits: Pick<SyncLimits, 'fetchBytes' | 'fetchMs'>;
  readonly progressEveryMs: number;
  readonly tell: (line: string) => void;
}

const LOOK_EVERY_MS = 100;

/** An empty bare repository. */
export async function prepareGit({ folder, env, signal, limits }: FetchContext): Promise<GitPlace> {
  const directory = await mkdtemp(join(folder, 'git-'));
  const place = { directory, env, signal, timeoutMs: limits.fetchMs };
  await runGit(place, ['init', '--quiet', '--bare', '--template=', directory]);
  return place;
}

/** Fetches this commit alone, without what came before it. */
export async function fetchSnapshot(
  context: FetchContext,
  { url, commit }: { readonly url: string; readonly commit: string },
): Promise<Snapshot> {
  const place = await prepareGit(context);
  await fetchWatched(context, place, url, ['--depth=1', '--', url, commit]);
  const { output } = await runGit(place, ['rev-parse', '--verify', 'FETCH_HEAD^{commit}']);
  if (output.toString().trim() !== commit) {
    throw new SkillSyncError(
      'skills_source_refused',
      `${visible(url)} answered with another commit than ${commit}.`,
    );
  }
  return { place, url, commit };
}

/** Whether a branch has this commit in its past. Fetches commits, where the server can leave out the rest. */
export async function isInHistory(
  context: FetchContext,
  tip: { readonly url: string; readonly commit: string },
  commit: string,
): Promise<boolean> {
  const place = await prepareGit(context);
  await fetchWatched(context, place, tip.url, ['--filter=tree:0', '--', tip.url, tip.commit]);
  const args = ['merge-base', '--is-ancestor', commit, tip.commit];
  const { code } = await runGit(place, args, { answers: [1, 128] });
  return code === 0;
}

/** Says how far it is when it takes long, and ends what receives too much. */
async function fetchWatched(
  context: FetchContext,
  place: GitPlace,
  url: string,
  args: readonly string[],
): Promise<void> {
  const { limits, progressEveryMs, tell } = context;
  const tooLarge = new AbortController();
  const started = performance.now();
  let told = started;
  let looking: Promise<void> | undefined;
  const look = async (): Promise<void> => {
    const received = await receivedBytes(place.directory);
    if (received > limits.fetchBytes) tooLarge.abort(overLimit(url, limits.fetchBytes));
    const now = performance.now();
    if (now - told < progressEveryMs) return;
    told = now;
    const seconds = Math.round((now - started) / 1000);
    tell(`fetching ${visible(url)}: ${(received / 1e6).toFixed(1)} MB in ${seconds} s`);
  };
  const timer = setInterval(() => {
    looking ??= look().finally(() => (looking = undefined));
  }, LOOK_EVERY_MS);
  try {
    const signal = AbortSignal.any([place.signal, tooLarge.signal]);
    const fetch = ['fetch', '--quiet', '--no-tags', '--recurse-submodules=no', ...args];
    await runGit({ ...place, signal }, fetch, { transport: transportOf(url) });
    if ((await receivedBytes(place.directory)) > limits.fetchBytes) {
      throw overLimit(url, limits.fetchBytes);
    }
  } finally {
    clearInterval(timer);
    await looking;
  }
}

async function receivedBytes(directory: string): Promise<number> {
  const packs = join(directory, 'objects', 'pack');
  const names = await readdir(packs).catch(() => []);
  const sizes = names.map((name) =>
    stat(join(packs, name)).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

function overLimit(url: string, limit: number): SkillSyncError {
  return new SkillSyncError(
    'skills_limit_exceeded',
    `${visible(url)} is larger than ${limit} bytes. Use a smaller repository, or raise \`limits.fetchBytes\` in the manifest.`,
  );
}
