import { errorMessage } from '@helix-agents/core';
import { SkillSyncError } from '../errors.ts';
import { repositoryPath } from '../git/read-tree.ts';
import type { Wanted } from '../git/resolve-ref.ts';
import { isRefName } from '../git/resolve-ref.ts';
import { transportFrom } from '../git/source-url.ts';
import { visible } from '../visible.ts';
import { below } from './skill-folders.ts';

export const MARKETPLACE_FILE = '.claude-plugin/marketplace.json';
export const PLUGIN_FILE = '.claude-plugin/plugin.json';

/** Where a plugin is: in the marketplace's own repository, or in another. */
export interface PluginPlace {
  /** Undefined: in the marketplace's repository. */
  readonly wanted?: Wanted;
  /** The plugin's folder. */
  readonly folder: string;
  /** Folders with skills, from the plugin's folder, that the marketplace names. */
  readonly named: readonly string[];
  /** Whether the plugin's own files say more: its `skills` folder and `plugin.json`. */
  readonly isOpen: boolean;
}

/** `owner/name`. */
const GITHUB = /^\w[\w.-]*\/\w[\w.-]*$/;

const KINDS: ReadonlySet<string> = new Set(['github', 'url', 'git-subdir']);

type Fields = Record<string, unknown>;

/** What a `marketplace.json` says of a plugin. The file is text of others: each part is checked before it is used. */
export function findPlugin(text: string, plugin: string, origin: string): PluginPlace {
  const market = parse(text, MARKETPLACE_FILE);
  const plugins = Array.isArray(market['plugins']) ? market['plugins'].map(asFields) : [];
  const [entry, other] = plugins.filter(({ name }) => name === plugin);
  if (!entry) throw noPlugin(plugin, plugins);
  if (other)
    throw refused(`lists two plugins "${visible(plugin)}"; only its owner can say which is meant`);
  const named = skillPaths(entry['skills']);
  const isOpen = entry['strict'] !== false || named.length === 0;
  const { source } = entry;
  if (typeof source === 'string') {
    const root = textOf(asFields(market['metadata'])['pluginRoot']) ?? '';
    return { folder: inside(below(inside(root), inside(source))), named, isOpen };
  }
  const given = asFields(source);
  const folder = inside(textOf(given['path']) ?? '');
  return { wanted: wantedOf(given, plugin, origin), folder, named, isOpen };
}

/** Folders with skills that a `plugin.json` names. */
export function pluginSkillPaths(text: string): string[] {
  return skillPaths(parse(text, PLUGIN_FILE)['skills']);
}

function wantedOf(source: Fields, plugin: string, origin: string): Wanted {
  const url = addressOf(source, plugin);
  transportFrom(origin, url);
  const ref = textOf(source['ref']);
  const sha = textOf(source['sha']);
  if (ref !== undefined && !isRefName(ref)) throw refused(`names the ref "${visible(ref)}"`);
  if (sha !== undefined && !/^[0-9a-f]{40}$/.test(sha))
    throw refused(`names the sha "${visible(sha)}"`);
  // The sha is what the marketplace vouches for; its branch may be far ahead.
  if (sha !== undefined) return { url, sha };
  return { url, ...(ref !== undefined && { ref }) };
}

function addressOf(source: Fields, plugin: string): string {
  const kind = source['source'];
  const repo = textOf(source['repo']);
  if (kind === 'github' && repo !== undefined && GITHUB.test(repo)) {
    return `https://github.com/${repo}.git`;
  }
  const url = textOf(source['url']);
  if ((kind === 'url' || kind === 'git-subdir') && url !== undefined) {
    return GITHUB.test(url) ? `https://github.com/${url}.git` : url;
  }
  throw refused(`${whereFrom(source, plugin)}. ${SUPPORTED}`);
}

const SUPPORTED =
  'Supported are a path in its repository, "github" with an `owner/name` as `repo`, and "url" and "git-subdir" with a `url`. ' +
  'To take the skills without the marketplace, name their repository in the manifest as a source of its own: {"source": "git", "url": "https://…"}';

/** What a source that cannot be used says of itself. */
function whereFrom({ source: kind }: Fields, plugin: string): string {
  const name = `the plugin "${visible(plugin)}"`;
  if (typeof kind !== 'string') return `does not say where ${name} is`;
  if (!KINDS.has(kind)) return `takes ${name} from "${visible(kind)}", which is not supported`;
  const field = kind === 'github' ? 'repo' : 'url';
  return `takes ${name} from "${kind}" and names no \`${field}\` that could be one`;
}

function noPlugin(plugin: string, plugins: readonly Fields[]): SkillSyncError {
  const names = plugins.flatMap(({ name }) => (typeof name === 'string' ? [visible(name)] : []));
  const more = names.length > 50 ? ` and ${names.length - 50} more` : '';
  const there = names.length === 0 ? 'it lists none' : `it has ${names.slice(0, 50).join(', ')}`;
  return refused(`has no plugin "${visible(plugin)}"; ${there}${more}`);
}

function skillPaths(given: unknown): string[] {
  const list: unknown[] = Array.isArray(given) ? given : given === undefined ? [] : [given];
  return list.map((path) => {
    if (typeof path !== 'string') throw refused('has `skills` that are no paths');
    return inside(path);
  });
}

function inside(path: string): string {
  const found = repositoryPath(path);
  if (found === null)
    throw refused(`names the path "${visible(path)}", which leads out of the repository`);
  return found;
}

function parse(text: string, file: string): Fields {
  try {
    return asFields(JSON.parse(text.replace(/^\u{feff}/u, '')));
  } catch (cause) {
    const message = `${file} is no JSON: ${visible(errorMessage(cause))}`;
    throw new SkillSyncError('skills_source_refused', message, cause);
  }
}

function asFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function refused(what: string): SkillSyncError {
  return new SkillSyncError('skills_source_refused', `The marketplace ${what}.`);
}
