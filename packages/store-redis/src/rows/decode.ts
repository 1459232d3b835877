import { callKeyText } from '@helix-agents/core/store';
import type { OpenCallRow, RunRow, SessionRow } from '@helix-agents/core';
import type {
  CheckpointRow,
  ChildReferenceRow,
  InputRow,
  InterruptRow,
  InterruptScope,
  JournalKind,
  JournalRow,
  MessageRow,
  UsageRow,
} from '@helix-agents/core/store';
import {
  CALL_NAMES,
  INPUT_NAMES,
  REFERENCE_NAMES,
  RUN_NAMES,
  SESSION_NAMES,
  type StoredCall,
  type StoredInput,
} from './columns.ts';
import { decodeColumns, decodeLines, decodeStamped } from './encode.ts';

/** Values of `SESSION_NAMES`, in that order. */
export function decodeSession(values: readonly (string | null)[]): SessionRow | null {
  return values[0] == null ? null : decodeColumns<SessionRow>(SESSION_NAMES, values);
}

export function decodeCall(text: string): OpenCallRow {
  const { sending: _, ...row } = decodeLines<StoredCall>(CALL_NAMES, text);
  return row;
}

export function decodeInput(text: string): InputRow {
  const { sending: _, ...row } = decodeLines<StoredInput>(INPUT_NAMES, text);
  return row;
}

/** The order of inputs. */
export function bySeq(a: InputRow, b: InputRow): number {
  return a.seq - b.seq;
}

export function decodeReference(text: string): ChildReferenceRow {
  return decodeLines(REFERENCE_NAMES, text);
}

/** Values of `RUN_NAMES`, in that order. */
export function decodeRun(values: readonly (string | null)[]): RunRow {
  return decodeColumns(RUN_NAMES, values);
}

export function decodeMessage(sessionId: string, sequence: number, text: string): MessageRow {
  const { time, body } = decodeStamped(text);
  return { sessionId, sequence, message: body as MessageRow['message'], createdAt: time };
}

export function decodeCheckpoint(text: string): CheckpointRow {
  const { time, body } = decodeStamped(text);
  return { ...(body as Omit<CheckpointRow, 'timestamp'>), timestamp: time };
}

export function decodeInterrupt(sessionId: string, runId: string, text: string): InterruptRow {
  const [time, scope = '', reason = ''] = text.split('\n');
  return {
    sessionId,
    runId,
    reason: JSON.parse(reason) as string | null,
    scope: JSON.parse(scope) as InterruptScope,
    timestamp: Number(time),
  };
}

/** Fields and values alternate. */
export function decodeJournal(sessionId: string, fields: readonly string[]): JournalRow[] {
  const rows: JournalRow[] = [];
  for (let at = 0; at < fields.length; at += 2) {
    const [stepId, index, kind] = (fields[at] as string).split(':') as [
      string,
      string,
      JournalKind,
    ];
    const { time, body } = decodeStamped(fields[at + 1] as string);
    const key = { sessionId, stepId: Number(stepId), index: Number(index) };
    rows.push({ ...key, kind, data: body, createdAt: time } as JournalRow);
  }
  return rows.sort((a, b) => a.index - b.index);
}

/** By time, then in the order in which they were recorded. */
export function decodeUsage(texts: readonly string[]): UsageRow[] {
  const entries = texts.map((text) => {
    const [time = '', place = ''] = text.split('\n', 2);
    const body = JSON.parse(text.slice(time.length + place.length + 2)) as UsageRow;
    return { place: Number(place), row: { ...body, timestamp: Number(time) } };
  });
  return entries
    .sort((a, b) => a.row.timestamp - b.row.timestamp || a.place - b.place)
    .map(({ row }) => row);
}

/** Oldest first, then by their place in the step. */
export function byOpening(a: OpenCallRow, b: OpenCallRow): number {
  return (
    a.openedAt - b.openedAt ||
    a.ownerStepId - b.ownerStepId ||
    a.ownerIndex - b.ownerIndex ||
    (callKeyText(a) < callKeyText(b) ? -1 : 1)
  );
}
