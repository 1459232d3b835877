import { isDraft, original } from 'immer';
import { HelixError } from '../errors/helix-error.ts';

/** Objects and lists that one update may store, and how deep they may be nested. */
const MAX_NEW = 200_000;
const MAX_DEPTH = 1_000;

/**
 * Refuses an update that stores a value which contains itself, or the same parts again and again: later code visits every
 * part of a new value. Values that were in the state before are not checked.
 */
export function refuseEndless(draft: unknown): void {
  let seen = 0;
  const path: string[] = [];
  const look = (value: object): void => {
    seen += 1;
    if (seen > MAX_NEW || path.length > MAX_DEPTH) throw endless(path);
    const before: unknown = isDraft(value) ? original(value) : undefined;
    for (const key of Object.keys(value)) {
      // Not by reading it, which would make a draft of every object that was there before.
      const inner: unknown = Object.getOwnPropertyDescriptor(value, key)?.value;
      if (!isNew(inner, before, key)) continue;
      path.push(key);
      look(inner);
      path.pop();
    }
  };
  if (typeof draft === 'object' && draft !== null) look(draft);
}

function isNew(inner: unknown, before: unknown, key: string): inner is object {
  if (typeof inner !== 'object' || inner === null) return false;
  if (isDraft(inner)) return true;
  if (Object.isFrozen(inner)) return false;
  return typeof before !== 'object' || before === null || Reflect.get(before, key) !== inner;
}

function endless([first = '']: readonly string[]): HelixError {
  return new HelixError({
    code: 'state_unserializable',
    message: `What was stored at state.${first} is no plain data (it contains itself, or has more than ${MAX_NEW} parts); keep JSON values in the state.`,
  });
}
