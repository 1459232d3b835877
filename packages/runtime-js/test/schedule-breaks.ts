import type { JsonValue } from '@helix-agents/core';
import type { History, StoreWrite } from '@helix-agents/testing';

type Mutable<T> = JsonValue extends T
  ? T
  : T extends object
    ? { -readonly [Key in keyof T]: Mutable<T[Key]> }
    : T;
export type Draft = Mutable<History>;
export type Commit = Extract<Mutable<StoreWrite>, { kind: 'commit' }>;

/** Breaks a rule in a history. False: this one has nothing to break it with. */
export type Break = (history: Draft) => boolean;

export const sessions = (history: Draft): Draft['end']['trees'][number]['sessions'] =>
  history.end.trees.flatMap((tree) => tree.sessions);
export const commits = (history: Draft): Commit[] =>
  history.writes.filter((write): write is Commit => write.kind === 'commit' && write.applied);

/** Ways to break each rule, with what is then wrong. */
export type Breaks = Readonly<Record<string, readonly (readonly [string, Break])[]>>;
