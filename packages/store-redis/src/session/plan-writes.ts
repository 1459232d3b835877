import { isRoot, isTop, parentIdOf, userMessageId } from '@helix-agents/core/store';
import type { SessionRow } from '@helix-agents/core';
import type {
  CommitInserts,
  CommitRemovals,
  CommitUpdates,
  MessageRow,
  SessionUpdate,
} from '@helix-agents/core/store';
import { encodeId } from '../keys.ts';
import {
  CALL_LINES,
  CALL_NAMES,
  INPUT_LINES,
  REFERENCE_LINES,
  REFERENCE_NAMES,
  RUN_COLUMNS,
  SESSION_COLUMNS,
  type Columns,
  type StoredCall,
  type StoredInput,
  PARENT_FIELD,
  TOP_FIELD,
} from '../rows/columns.ts';
import { assertColumn, encodeChanges, encodeLines, toJson } from '../rows/encode.ts';
import {
  callField,
  interruptField,
  journalField,
  say,
  type SessionMessages,
  type Words,
} from './plan-words.ts';

export function writeRemovals(out: Words, remove: CommitRemovals): void {
  for (const { sessionId, stepId } of remove.journal ?? []) {
    say(out, sessionId, 'drop-step', `${stepId}:`);
  }
  for (const { sessionId, runId } of remove.interrupts ?? []) {
    say(out, sessionId, 'drop-interrupt', interruptField(runId));
  }
  for (const { sessionId, sequence } of remove.messagesAfter ?? []) {
    say(out, sessionId, 'keep-messages', `${sequence}`);
  }
  for (const { sessionId, version } of remove.checkpointsAfter ?? []) {
    say(out, sessionId, 'drop-checkpoints', `${version}`);
  }
}

/** Rows that most steps insert. */
export function writeSteps(
  out: Words,
  insert: CommitInserts,
  messages: SessionMessages,
  keeper: string,
): void {
  for (const row of insert.sessions ?? []) {
    say(out, row.sessionId, 'new-session');
    const sending = row.sessionId === keeper ? SENDING : [];
    pushColumns(out.args, SESSION_COLUMNS, row, [
      ...sending,
      ...parentField(row),
      ...topField(row),
    ]);
  }
  for (const [sessionId, rows] of messages) {
    writeMessages(out, sessionId, rows);
    writeMessageIds(out, sessionId, rows);
  }
  for (const { timestamp, ...body } of insert.checkpoints ?? []) {
    say(out, body.sessionId, 'checkpoint', `${body.version}`, `${timestamp}`, toJson(body));
  }
  for (const { timestamp, ...body } of insert.usage ?? []) {
    say(out, body.sessionId, 'usage', encodeId(body.id), `${timestamp}`, toJson(body));
  }
  for (const row of insert.journal ?? []) {
    const { sessionId, createdAt, data } = row;
    say(out, sessionId, 'journal', journalField(row), `${createdAt}`, toJson(data));
  }
}

/** For scripts that walk a tree: it follows from the route, which they do not read. */
function parentField(row: SessionRow): string[] {
  const parent = parentIdOf(row);
  return parent === null ? [] : [PARENT_FIELD, toJson(parent)];
}

function topField(row: SessionRow): string[] {
  return isTop(row) && !isRoot(row) ? [TOP_FIELD, '1'] : [];
}

/** Lua can unpack only a limited number of arguments at once. */
const MOST_MESSAGES = 1000;

/** Consecutive messages with the same time are written together. */
function writeMessages(out: Words, sessionId: string, rows: readonly MessageRow[]): void {
  let count = 0;
  let place = 0;
  let createdAt: number | undefined;
  for (const row of rows) {
    if (row.createdAt !== createdAt || count === MOST_MESSAGES) {
      createdAt = row.createdAt;
      say(out, sessionId, 'messages', `${createdAt}`, '');
      place = out.args.length - 1;
      count = 0;
    }
    out.args.push(toJson(row.message));
    out.args[place] = `${(count += 1)}`;
  }
}

function writeMessageIds(out: Words, sessionId: string, rows: readonly MessageRow[]): void {
  for (const { message, sequence } of rows) {
    const id = userMessageId(message);
    if (id !== undefined) say(out, sessionId, 'message-id', encodeId(id), `${sequence}`);
  }
}

export function writeRows(out: Words, insert: CommitInserts): void {
  for (const row of insert.calls ?? []) {
    out.args.push('new-call', callField(row), encodeLines<StoredCall>(CALL_LINES, CALL_NAMES, row));
  }
  for (const row of insert.references ?? []) {
    const lines = encodeLines(REFERENCE_LINES, REFERENCE_NAMES, row);
    say(out, row.sessionId, 'new-reference', encodeId(row.subSessionId), lines);
  }
  for (const row of insert.runs ?? []) {
    say(out, row.sessionId, 'new-run', encodeId(row.runId), `${row.turn}`);
    pushColumns(out.args, RUN_COLUMNS, row);
  }
}

export function writeUpdates(out: Words, update: CommitUpdates): void {
  for (const { key, set, onlyIf } of update.calls ?? []) {
    const changes = encodeChanges(CALL_LINES, set);
    out.args.push('call', callField(key), onlyIf === undefined ? '' : toJson(onlyIf));
    out.args.push(`${changes.length / 2}`, ...changes);
  }
  for (const { sessionId, subSessionId, set } of update.references ?? []) {
    const changes = encodeChanges(REFERENCE_LINES, set);
    say(out, sessionId, 'reference', encodeId(subSessionId));
    out.args.push(`${changes.length / 2}`, ...changes);
  }
  for (const { sessionId, inputId, set, onlyIf } of update.inputs ?? []) {
    const changes = encodeChanges<StoredInput>(INPUT_LINES, set);
    say(out, sessionId, 'input', encodeId(inputId), onlyIf === undefined ? '' : toJson(onlyIf));
    out.args.push(`${changes.length / 2}`, ...changes);
  }
  for (const { runId, set } of update.runs ?? []) {
    out.args.push('run', encodeId(runId));
    pushChanges(out.args, RUN_COLUMNS, set);
  }
}

/** Columns that the indexes of tops depend on. */
const MOVES = [
  'status',
  'leaseUntil',
  'started',
  'hostKind',
  'error',
  'wakeAt',
  'closed',
  'ends',
  'reported',
] as const;

/** Columns whose values the script fills in: the id of the request, and counters. They come first. */
const SENDING = ['sending', ''];
const VERSION = ['version', ''];
const RECORDS = ['records', ''];

export function writeSession(
  out: Words,
  { sessionId, set = {}, raise }: SessionUpdate,
  isKeeper: boolean,
): void {
  const known = isKeeper ? [...SENDING] : [];
  if (raise?.version) known.push(...VERSION);
  if (raise?.records) known.push(...RECORDS);
  say(out, sessionId, 'session', changeOf(set));
  pushChanges(out.args, SESSION_COLUMNS, set, known);
}

/** Which indexes depend on the changed columns. */
function changeOf(set: NonNullable<SessionUpdate['set']>): 'moved' | 'listed' | '' {
  if (MOVES.some((column) => set[column] !== undefined)) return 'moved';
  return set.updatedAt === undefined ? '' : 'listed';
}

/** The columns to set, then the columns that become null, each list preceded by its length. */
function pushChanges<Row extends object>(
  args: (string | number)[],
  columns: Columns<Row>,
  set: Partial<Row>,
  known: readonly string[] = [],
): void {
  const nulls = pushColumns(args, columns, set, known);
  args.push(`${nulls.length}`, ...nulls);
}

/** Columns and values, preceded by their number. Gives the columns that are null. Throws for an unknown column. */
function pushColumns<Row extends object>(
  args: (string | number)[],
  columns: Columns<Row>,
  set: Partial<Row>,
  known: readonly string[] = [],
): readonly string[] {
  const nulls: string[] = [];
  const place = args.push('');
  args.push(...known);
  for (const [name, value] of Object.entries(set)) {
    assertColumn(columns, name);
    if (value === null) nulls.push(name);
    else if (value !== undefined) args.push(name, toJson(value));
  }
  args[place - 1] = `${args.length - place}`;
  return nulls;
}
