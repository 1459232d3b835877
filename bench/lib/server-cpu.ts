import { readdirSync, readFileSync } from 'node:fs';
import type { ServerClock } from './measure.ts';

/** What a process and its children have computed so far, by the accounts of Linux; not a number elsewhere. */
export function clockOfServer(pid: number): ServerClock {
  return () => {
    try {
      const own = readdirSync('/proc').filter((name) => name === `${pid}` || isChild(name, pid));
      return own.reduce((sum, name) => sum + computed(name), 0);
    } catch {
      return Number.NaN;
    }
  };
}

function isChild(name: string, pid: number): boolean {
  if (!/^\d+$/.test(name)) return false;
  // The name of the program may hold anything; after it come the state and the parent.
  const parent = read(name, 'stat').split(') ').at(-1)?.split(' ')[1];
  return parent === `${pid}`;
}

function computed(name: string): number {
  return Number(read(name, 'schedstat').split(' ')[0]) / 1e6;
}

/** Empty when it has ended meanwhile. */
function read(name: string, file: string): string {
  try {
    return readFileSync(`/proc/${name}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
