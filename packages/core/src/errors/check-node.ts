import { HelixError } from './helix-error.ts';

/** Of each line of Node, the first release that works; `engines` of the packages says the same. Earlier ones bind SQL parameters wrongly. */
const FIRST_OF_LINE: ReadonlyMap<number, number> = new Map([
  [22, 20],
  [24, 7],
]);

const NEWEST_LINE: number = Math.max(...FIRST_OF_LINE.keys());

interface NodeGlobals {
  readonly process?: { readonly versions?: { readonly node?: string } };
  readonly Bun?: unknown;
  readonly Deno?: unknown;
}

/** Throws on a Node that is too old, with what to do. Other runtimes are not checked: the version of Node they report says little. */
export function checkNode({ process, Bun, Deno }: NodeGlobals = globalThis as NodeGlobals): void {
  const version = process?.versions?.node;
  if (version === undefined || Bun !== undefined || Deno !== undefined) return;
  const [line = 0, release = 0] = version.split('.').map(Number);
  const first = FIRST_OF_LINE.get(line);
  if (first === undefined ? line > NEWEST_LINE : release >= first) return;
  const wanted = [...FIRST_OF_LINE].map(([major, minor]) => `${major}.${minor}`).join(' or ');
  throw new HelixError({
    code: 'node_unsupported',
    message: `Helix Agents needs Node ${wanted} or newer, and this is ${version}; install a newer Node and start again.`,
  });
}
