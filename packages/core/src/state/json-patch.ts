import type { JsonValue } from '../json.ts';
import type { JsonPatch } from '../stream/chunks.ts';
import { valueAt } from './apply-writes.ts';
import type { StatePath, StateWrite } from './state-write.ts';

/** Writes that do not touch the same place, as RFC 6902 over the state they were made from. */
export function toJsonPatches(base: unknown, writes: readonly StateWrite[]): JsonPatch[] {
  return writes.length === 0
    ? []
    : writes.flatMap((write) => toPatches(valueAt(base as JsonValue, write.path), write));
}

function toPatches(before: JsonValue | undefined, write: StateWrite): JsonPatch[] {
  const path = toPointer(write.path);
  switch (write.op) {
    case 'remove':
      return [{ op: 'remove', path }];
    case 'set':
      return [{ op: before === undefined ? 'add' : 'replace', path, value: write.value }];
    case 'append':
      return Array.isArray(before)
        ? write.values.map((value) => ({ op: 'add', path: `${path}/-`, value }))
        : [{ op: before === undefined ? 'add' : 'replace', path, value: write.values }];
  }
}

function toPointer(path: StatePath): string {
  return path
    .map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}
