import type { JsonValue } from '../json.ts';

export type StatePath = readonly (string | number)[];

/**
 * One change of custom state. `append` composes with other appends in any order;
 * `set` and `remove` replace, the last one in merge order wins.
 */
export type StateWrite =
  | { readonly op: 'set'; readonly path: StatePath; readonly value: JsonValue }
  | { readonly op: 'remove'; readonly path: StatePath }
  | { readonly op: 'append'; readonly path: StatePath; readonly values: readonly JsonValue[] };
