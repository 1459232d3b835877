import { InvalidRequestError } from '../errors/request-errors.ts';
import type { JsonValue } from '../json.ts';
import { valueAt } from '../state/apply-writes.ts';
import type { StateWrite } from '../state/state-write.ts';
import type { JsonPatch } from '../stream/chunks.ts';
import { plainData } from './plain-data.ts';

/**
 * RFC 6902 over `base` as writes. Elements may be replaced, removed or added at the end (`/-`); one that pushes others
 * aside has no meaning once patches of several calls are merged and is refused.
 */
export function patchWrites(base: JsonValue, patches: readonly JsonPatch[]): StateWrite[] {
  return patches.map((patch, position) => {
    const path = pathIn(base, patch.path);
    const last = path.at(-1);
    const value = 'value' in patch ? plainData(patch.value, `patches.${position}.value`) : null;
    switch (patch.op) {
      case 'remove':
        return { op: 'remove', path };
      case 'replace':
        return { op: 'set', path, value };
      case 'add':
        if (last === '-') return { op: 'append', path: path.slice(0, -1), values: [value] };
        if (typeof last === 'number' && valueAt(base, path) !== undefined) throw inserts(position);
        return { op: 'set', path, value };
    }
  });
}

/** A number stands for an element only where the base has an array. */
function pathIn(base: JsonValue, pointer: string): (string | number)[] {
  const path: (string | number)[] = [];
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    const inArray = /^\d+$/.test(key) && Array.isArray(valueAt(base, path));
    path.push(inArray ? Number(key) : key);
  }
  return path;
}

function inserts(position: number): InvalidRequestError {
  const message = 'inserts into an array; add at its end with "/-", or replace the array';
  return new InvalidRequestError([{ path: `patches.${position}`, message }]);
}
