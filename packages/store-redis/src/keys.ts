/**
 * The layout of keys.
 *
 * A partition is one hash slot: `prefix:{tag}`. A tree is in the partition of its root id, together with the indexes of all trees of
 * that partition, so that one script can write a tree and its index entries, in a cluster too. A query across trees asks every partition.
 */
export interface Keys {
  /** `prefix:{tag}` of every partition. */
  readonly areas: readonly string[];
  areaOf(rootId: string): string;
  /** The prefix of the keys of a tree, or of a stream with this id. */
  treeOf(rootId: string): string;
}

/** One tag for each sixteenth of the slots, so that masters with equal shares of slots hold equal shares of the trees. */
export const PARTITION_TAGS: readonly string[] = [
  '10',
  '3',
  '61',
  '43',
  '11',
  '2',
  '60',
  '42',
  '12',
  '1',
  '63',
  '41',
  '13',
  '0',
  '62',
  '40',
];

export function createKeys(prefix: string): Keys {
  const areas = PARTITION_TAGS.map((tag) => `${prefix}:{${tag}}`);
  const areaOf = (rootId: string): string => areas[hashOf(rootId) % areas.length] as string;
  return { areas, areaOf, treeOf: (rootId) => `${areaOf(rootId)}:${encodeId(rootId)}` };
}

/** Ids are parts of keys, fields and index members. Separators, control characters and lone surrogates are escaped as `%` and four hex digits. */
export function encodeId(id: string): string {
  if (PLAIN.test(id)) return id.replace(COLONS, '%003a');
  return id.replace(UNSAFE, (unit) => `%${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

export function decodeId(encoded: string): string {
  return encoded.replace(/%([0-9a-f]{4})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

/** Most ids: nothing to escape except colons. Faster than the full search. */
const PLAIN = /^[ -$&-z|~]*$/;
const COLONS = /:/g;

/** In unicode mode a surrogate matches only when it stands alone. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const UNSAFE = /[%:{}\u0000-\u001f\u007f\ud800-\udfff]/gu;

/** FNV-1a. Never change it: it determines the partition of every tree. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}
