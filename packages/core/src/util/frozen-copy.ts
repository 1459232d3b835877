const MAX_DEPTH = 200;

/**
 * A frozen copy, as a store would return the value: what JSON drops or changes is dropped or changed here too, and a value
 * that JSON refuses throws.
 */
export function frozenCopy<T>(value: T): T {
  return copy(value, 0) as T;
}

function copy(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return scalar(value);
  if (depth > MAX_DEPTH || !isPlain(value)) return throughJson(value);
  return Array.isArray(value) ? copyArray(value, depth) : copyObject(value, depth);
}

function scalar(value: unknown): unknown {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  // -0 becomes 0, as in JSON.
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null;
  if (typeof value === 'bigint') throw new TypeError('A bigint has no JSON form.');
  return undefined;
}

function copyArray(values: readonly unknown[], depth: number): readonly unknown[] {
  const made = values.slice();
  for (let index = 0; index < made.length; index += 1) {
    const value = made[index];
    if (typeof value !== 'string') made[index] = copy(value, depth + 1) ?? null;
  }
  return Object.freeze(made);
}

/** Clones the object at once, then sets only the fields that differ: rows are mostly text and numbers. */
function copyObject(source: object, depth: number): object {
  const made: Record<string, unknown> = { ...source };
  for (const key in made) {
    const value = made[key];
    if (typeof value === 'string' || value === null) continue;
    const copied = copy(value, depth + 1);
    if (copied === undefined) delete made[key];
    else if (!Object.is(copied, value)) made[key] = copied;
  }
  return Object.freeze(made);
}

/** Nothing but own data: no class, no `toJSON`, no key that would set the prototype of the copy. */
function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return !('toJSON' in value) && !Object.hasOwn(value, '__proto__');
}

function throughJson(value: object): unknown {
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) return undefined;
  const made: unknown = JSON.parse(text);
  freezeDeep(made);
  return made;
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
