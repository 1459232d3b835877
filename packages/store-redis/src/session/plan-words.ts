import type { CallKey, JournalRow, MessageRow } from '@helix-agents/core/store';
import { encodeId } from '../keys.ts';
import { toJson } from '../rows/encode.ts';

/**
 * The arguments of the commit script (lua/commit.ts), as they are collected: a list of words, each an instruction followed by its
 * arguments.
 */
export interface Words {
  readonly args: (string | number)[];
  /** The session that the next word is about. */
  session: string;
}

/** Adds a word about this session. */
export function say(out: Words, sessionId: string, ...words: string[]): void {
  if (sessionId !== out.session) {
    out.args.push('of', encodeId(sessionId));
    out.session = sessionId;
  }
  out.args.push(...words);
}

export function callField({ toolCallId, part }: Pick<CallKey, 'toolCallId' | 'part'>): string {
  return `${encodeId(toolCallId)}:${encodeId(part)}`;
}

export function interruptField(runId: string): string {
  return `interrupt:${toJson(runId)}`;
}

type JournalKey = Pick<JournalRow, 'stepId' | 'index' | 'kind'>;

export function journalField({ stepId, index, kind }: JournalKey): string {
  return `${stepId}:${index}:${kind}`;
}

export type SessionMessages = readonly (readonly [
  sessionId: string,
  rows: readonly MessageRow[],
])[];

/** By session, in the order of their numbers, because they are appended to a list. */
export function bySession(rows: readonly MessageRow[]): SessionMessages {
  const [first] = rows;
  if (!first) return [];
  if (rows.every((row, place) => follows(row, rows[place - 1]))) return [[first.sessionId, rows]];
  return [...Map.groupBy(rows, (row) => row.sessionId)].map(([id, group]) => [
    id,
    group.toSorted((a, b) => a.sequence - b.sequence),
  ]);
}

function follows(row: MessageRow, before: MessageRow | undefined): boolean {
  return !before || (row.sessionId === before.sessionId && row.sequence > before.sequence);
}
