import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';

/** No setting of the machine or its user counts, and commits have the same ids everywhere. */
export const GIT_ENV: NodeJS.ProcessEnv = {
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.com',
  GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example.com',
  GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z',
};

/** What stands at a path: a text, bytes, or a link. */
type Content = string | Uint8Array | { readonly link: string };

/** A repository of git on the disk. */
export interface Repository {
  readonly path: string;
  readonly url: string;
  readonly git: (...args: readonly string[]) => string;
  readonly gitWith: (input: string | Uint8Array, ...args: readonly string[]) => string;
  /** Commits these files in place of all that was there; returns the commit's id. */
  readonly commit: (files: Readonly<Record<string, Content>>) => string;
}

export function openFolder(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'helix-skill-cli-')));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

export function openRepository(): Repository {
  const path = openFolder();
  const gitWith = (input: string | Uint8Array, ...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: path, env: GIT_ENV, input, stdio: ['pipe', 'pipe', 'pipe'] })
      .toString()
      .trim();
  const git = (...args: readonly string[]): string => gitWith('', ...args);
  git('init', '--quiet', '--initial-branch=main');
  return {
    path,
    url: pathToFileURL(path).href,
    git,
    gitWith,
    commit: (files) => {
      git('rm', '-r', '-f', '--quiet', '--ignore-unmatch', '.');
      for (const [file, content] of Object.entries(files)) write(join(path, file), content);
      git('add', '--all', '--force');
      git('commit', '--quiet', '--allow-empty', '--message=x');
      return git('rev-parse', 'HEAD');
    },
  };
}

export function skillText(
  name: string,
  description = `What ${name} does.`,
  body = `# ${name}`,
): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n${body}\n`;
}

function write(file: string, content: Content): void {
  mkdirSync(dirname(file), { recursive: true });
  if (typeof content === 'object' && 'link' in content) symlinkSync(content.link, file);
  else writeFileSync(file, content);
}
