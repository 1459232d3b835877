/** The names an options object may have, written as an object so that the compiler keeps the list complete. */
export type KnownKeys<Options> = { readonly [Key in keyof Required<Options>]: true };

/** Other names for options, for the suggestion in the error. */
export type OtherNames = { readonly [name: string]: string };

export interface UnknownKey {
  readonly key: string;
  /** The option that was probably meant; null when none is like it. */
  readonly meant: string | null;
}

/** The first key that is no option. One whose value is undefined says nothing and passes. */
export function findUnknownKey(
  given: object,
  known: object,
  otherNames: OtherNames = {},
): UnknownKey | null {
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined || Object.hasOwn(known, key)) continue;
    return { key, meant: otherName(otherNames, key) ?? nearest(key, Object.keys(known)) };
  }
  return null;
}

/** "is not an option of X; did you mean `y`?" */
export function unknownKeyText({ meant }: UnknownKey, of: string, known: object): string {
  const hint =
    meant === null
      ? `it takes ${Object.keys(known)
          .map((key) => `\`${key}\``)
          .join(', ')}`
      : `did you mean \`${meant}\`?`;
  return `is not an option of ${of}; ${hint}`;
}

function otherName(names: OtherNames, key: string): string | undefined {
  return Object.hasOwn(names, key) ? names[key] : undefined;
}

/** The most alike of `names`, if it is alike at all. */
function nearest(key: string, names: readonly string[]): string | null {
  let best: string | null = null;
  let least = Math.max(1, Math.floor(key.length * 0.4)) + 1;
  for (const name of names) {
    const distance = editDistance(plain(key), plain(name));
    if (distance >= least) continue;
    least = distance;
    best = name;
  }
  return best;
}

/** Spellings like `max_steps` and `maxsteps` are the same word. */
function plain(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase();
}

/** How many letters have to be added, removed or changed. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
