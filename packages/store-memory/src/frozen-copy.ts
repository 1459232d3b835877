/**
 * A copy nobody can change: what a store keeps and what it hands out. Goes through JSON, as every
 * other store does, so that a value which would not survive elsewhere does not survive here either.
 */
export function frozenCopy<T>(value: T): T {
  const copy = JSON.parse(JSON.stringify(value)) as T;
  freezeDeep(copy);
  return copy;
}

/** Without recursion: depth is the caller's data. */
function freezeDeep(value: unknown): void {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    Object.freeze(next);
    for (const inner of Object.values(next)) {
      if (typeof inner === 'object' && inner !== null) open.push(inner);
    }
  }
}
