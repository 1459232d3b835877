import type { SessionRow } from '@helix-agents/core';
import { frozenCopy, marksWake, refuseNotice, refusePut } from '@helix-agents/core/store';
import type {
  InputRow,
  PutInput,
  PutInputResult,
  PutNotice,
  PutNoticeResult,
  SessionRef,
} from '@helix-agents/core/store';
import type { MemoryDatabase } from './memory-database.ts';
import { tablesOf } from './memory-database.ts';

/** In the order of `seq`, as rows are inserted. */
export function inputsOf(database: MemoryDatabase, { sessionId }: SessionRef): InputRow[] {
  return [...(database.tables.get(sessionId)?.inputs.values() ?? [])];
}

export function waitingInputs(database: MemoryDatabase, ref: SessionRef): InputRow[] {
  return inputsOf(database, ref).filter(({ state }) => state === 'waiting');
}

export function putInput(database: MemoryDatabase, input: PutInput): PutInputResult {
  const receiver = database.sessions.get(input.sessionId) ?? null;
  const known = findInput(database, input);
  if (receiver && known) return { found: true, put: false, row: known, status: receiver.status };
  const messages = waitingInputs(database, input).filter(({ kind }) => kind === 'message');
  const ids = database.tables.get(input.sessionId)?.messageIds;
  const why = refusePut(receiver, input, {
    waitingMessages: messages.length,
    isInTranscript: input.person ? (ids?.has(input.person.messageId) ?? false) : false,
  });
  if (!receiver || why !== null) return refused(receiver, why ?? 'no_session');
  const { sender, content, now } = input;
  const said = { kind: 'message', sender, content, end: receiver.ends + 1, wake: true } as const;
  const row = put(database, receiver, input.inputId, said, now);
  return { found: true, put: true, row, status: receiver.status };
}

export function putNotice(database: MemoryDatabase, input: PutNotice): PutNoticeResult {
  const parent = database.sessions.get(input.sessionId) ?? null;
  const known = findInput(database, input);
  if (parent && known) return { found: true, put: false, row: known, status: parent.status };
  const reference = database.tables.get(input.sessionId)?.references.get(input.childId) ?? null;
  const why = refuseNotice(parent, reference, input);
  if (!parent || !reference || why !== null) return refused(parent, why ?? 'no_session');
  const { childId: sender, content, end, now } = input;
  const told = { kind: 'notice', sender, content, end, wake: reference.wake } as const;
  const row = put(database, parent, input.inputId, told, now);
  return { found: true, put: true, row, status: parent.status };
}

export function report(database: MemoryDatabase, { sessionId }: SessionRef, end: number): void {
  const session = database.sessions.get(sessionId);
  if (!session || session.reported === null || session.reported >= end) return;
  database.sessions.set(sessionId, Object.freeze({ ...session, reported: end }));
}

export function purgeInputs(database: MemoryDatabase, ref: SessionRef, now: number): number {
  const inputs = database.tables.get(ref.sessionId)?.inputs;
  const gone = inputsOf(database, ref).filter((row) => isPurgeableInput(row, now));
  for (const { inputId } of gone) inputs?.delete(inputId);
  return gone.length;
}

export function isPurgeableInput(row: InputRow, now: number): boolean {
  return row.state !== 'waiting' && row.purgeAt !== null && row.purgeAt <= now;
}

function findInput(
  { tables }: MemoryDatabase,
  { sessionId, inputId }: PutInput | PutNotice,
): InputRow | undefined {
  return tables.get(sessionId)?.inputs.get(inputId);
}

function refused<Why>(
  session: SessionRow | null,
  why: Why,
): { readonly found: false; readonly why: Why; readonly status: SessionRow['status'] | null } {
  return { found: false, why, status: session?.status ?? null };
}

/** Writes the row, and raises and marks its receiver. */
function put(
  database: MemoryDatabase,
  receiver: SessionRow,
  inputId: string,
  said: Pick<InputRow, 'kind' | 'sender' | 'content' | 'end' | 'wake'>,
  now: number,
): InputRow {
  const { rootId, sessionId } = receiver;
  const records = receiver.records + 1;
  const row: InputRow = frozenCopy({
    rootId,
    sessionId,
    inputId,
    ...said,
    seq: records,
    state: 'waiting',
    createdAt: now,
    settledAt: null,
    purgeAt: null,
  });
  const isMarked = marksWake(receiver.status, said.kind, said.wake);
  const wakeAt = isMarked ? now : receiver.wakeAt;
  tablesOf(database, sessionId).inputs.set(inputId, row);
  database.sessions.set(sessionId, Object.freeze({ ...receiver, records, wakeAt }));
  return row;
}
