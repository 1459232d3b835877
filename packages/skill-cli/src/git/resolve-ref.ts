import { SkillSyncError } from '../errors.ts';
import { visible } from '../visible.ts';
import { runGit, type GitPlace } from './run-git.ts';
import { transportOf } from './source-url.ts';

/** Which state of a repository is asked for. At most one of `ref` and `version`. */
export interface Wanted {
  readonly url: string;
  /** A branch or a tag, short or in full. Without it: what HEAD of the repository points to. */
  readonly ref?: string;
  /** `1.2.0` is the tag `v1.2.0` or `1.2.0`. */
  readonly version?: string;
  /** A whole commit id. With `ref` or `version`: these have to point to it. */
  readonly sha?: string;
}

export interface Resolved {
  readonly url: string;
  /** In full, `refs/tags/v1.2.0`; the commit id itself where only that was asked for. */
  readonly ref: string;
  readonly commit: string;
}

const COMMIT = /^[0-9a-f]{40}$/;

/** Asks the repository where the ref points to now. */
export async function resolveRef(place: GitPlace, wanted: Wanted): Promise<Resolved> {
  const { url, sha, ref } = wanted;
  const pinned = sha ?? (ref !== undefined && COMMIT.test(ref) ? ref : undefined);
  if (
    pinned !== undefined &&
    (ref === undefined || ref === pinned) &&
    wanted.version === undefined
  ) {
    return { url, ref: pinned, commit: pinned };
  }
  const found = await askFor(place, url, candidatesOf(wanted));
  const [first, second] = found;
  if (!first) throw notFound(wanted);
  if (second && second.commit !== first.commit) {
    throw new SkillSyncError(
      'skills_source_refused',
      `${visible(url)} has both ${first.ref} and ${second.ref}. Write the one you mean in full.`,
    );
  }
  if (pinned !== undefined && first.commit !== pinned) {
    throw new SkillSyncError(
      'skills_ref_moved',
      `${first.ref} of ${visible(url)} is ${first.commit}, not ${pinned} as the \`sha\` says.`,
    );
  }
  return first;
}

/** Whether a name can be one of a branch or tag: git's own rules, and nothing that could be an option. */
export function isRefName(ref: string): boolean {
  return (
    ref.length <= 255 &&
    !/^[-/.]|[\s\p{C}~^:?*[\\]|\.\.|\/\/|\/\.|@\{|\.lock(\/|$)|[/.]$|^@$/u.test(ref)
  );
}

function candidatesOf({ ref, version }: Wanted): string[] {
  if (version !== undefined) return [`refs/tags/v${version}`, `refs/tags/${version}`];
  if (ref === undefined || ref === 'HEAD') return ['HEAD'];
  return ref.startsWith('refs/') ? [ref] : [`refs/tags/${ref}`, `refs/heads/${ref}`];
}

async function askFor(place: GitPlace, url: string, refs: readonly string[]): Promise<Resolved[]> {
  const patterns = refs.flatMap((ref) => [ref, `${ref}^{}`]);
  const { output } = await runGit(place, ['ls-remote', '--quiet', '--', url, ...patterns], {
    transport: transportOf(url),
  });
  const lines = output.toString().split('\n');
  const ids = new Map(lines.map((line): [string, string] => [line.slice(41), line.slice(0, 40)]));
  return refs.flatMap((ref) => {
    // An annotated tag is an object of its own; the second line is the commit behind it.
    const commit = ids.get(`${ref}^{}`) ?? ids.get(ref);
    return commit === undefined || !COMMIT.test(commit) ? [] : [{ url, ref, commit }];
  });
}

function notFound(wanted: Wanted): SkillSyncError {
  const names = candidatesOf(wanted).map((name) => visible(name));
  return new SkillSyncError(
    'skills_source_refused',
    `${visible(wanted.url)} has no ${names.join(' and no ')}. Check \`ref\` and \`version\` in the manifest.`,
  );
}
