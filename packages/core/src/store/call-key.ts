import type { CallKey } from './rows.ts';

/** The key of a human call, from any object that has its ids. A call that asks once has one row, with the part ''. */
export function callKey({
  rootId,
  toolCallId,
  part = '',
}: Omit<CallKey, 'part'> & Partial<Pick<CallKey, 'part'>>): CallKey {
  return { rootId, toolCallId, part };
}

/** A key as one text, for maps and sets: two keys have the same text exactly when they are the same. */
export function callKeyText({ rootId, toolCallId, part }: CallKey): string {
  return JSON.stringify([rootId, toolCallId, part]);
}

/** The name of a call in maps that are shown: its id, and its part where it has one. */
export function callName({ toolCallId, part }: Omit<CallKey, 'rootId'>): string {
  return part === '' ? toolCallId : `${toolCallId}#${part}`;
}
