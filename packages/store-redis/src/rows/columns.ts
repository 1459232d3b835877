import type { OpenCallRow, RunRow, SessionRow } from '@helix-agents/core';
import type { ChildReferenceRow, InputRow } from '@helix-agents/core/store';

/** `time` columns are milliseconds, which scripts shift to the server's clock; all others are JSON, which scripts do not read. */
export type ColumnType = 'json' | 'time';

/**
 * A row that is a hash: one field per column, named after it, with JSON as its value. Null is a field that is absent. Checked by the
 * compiler: a property that a row gains does not compile until it is listed here.
 */
export type Columns<Row> = Readonly<Record<keyof Row, ColumnType>>;

export const SESSION_COLUMNS: Columns<SessionRow> = {
  sessionId: 'json',
  rootId: 'json',
  route: 'json',
  unitId: 'json',
  parentStepId: 'json',
  parentIndex: 'json',
  agentType: 'json',
  streamId: 'json',
  version: 'json',
  epoch: 'json',
  records: 'json',
  status: 'json',
  runId: 'json',
  turn: 'json',
  started: 'json',
  hostKind: 'json',
  leaseOwner: 'json',
  leaseUntil: 'time',
  recoveries: 'json',
  stepId: 'json',
  stepCount: 'json',
  stepMessage: 'json',
  messageCount: 'json',
  customState: 'json',
  output: 'json',
  error: 'json',
  failureReason: 'json',
  closed: 'json',
  lastCommit: 'json',
  resumeCount: 'json',
  ends: 'json',
  reported: 'json',
  wakeAt: 'time',
  stop: 'json',
  userId: 'json',
  tags: 'json',
  metadata: 'json',
  createdAt: 'time',
  updatedAt: 'time',
};

/** A further field of a child, which follows from its route: scripts walk a tree by it and read no JSON. */
export const PARENT_FIELD = 'parentSessionId';

/** A further field of a companion: it is the top of a unit. */
export const TOP_FIELD = 'top';

export const RUN_COLUMNS: Columns<RunRow> = {
  runId: 'json',
  sessionId: 'json',
  turn: 'json',
  status: 'json',
  trigger: 'json',
  stepCount: 'json',
  previousRunId: 'json',
  fromCheckpointId: 'json',
  startSequence: 'json',
  startedAt: 'time',
  completedAt: 'time',
};

export interface Line {
  /** Counted from 1, as Lua does. */
  readonly number: number;
  readonly type: ColumnType;
}

/**
 * A row that is one hash field: one line of JSON per column. JSON has no line breaks, so a script can read and replace a column
 * without parsing. The numbers are part of the stored format: never change one. A new column takes the next number; rows that were
 * written before lack the line, which reads as null. Checked by the compiler like `Columns`.
 */
export type Lines<Row> = Readonly<Record<keyof Row, Line>>;

/** `sending` names the command that answered the call. */
export type StoredCall = OpenCallRow & { readonly sending: string | null };

export const CALL_LINES: Lines<StoredCall> = {
  state: json(1),
  outcome: json(2),
  deadlineAt: time(3),
  remindAt: time(4),
  purgeAt: time(5),
  openedAt: time(6),
  answeredAt: time(7),
  settledAt: time(8),
  answer: json(9),
  answeredBy: json(10),
  userId: json(11),
  ownerSessionId: json(12),
  sending: json(13),
  rootId: json(14),
  toolCallId: json(15),
  part: json(16),
  kind: json(17),
  ownerStepId: json(18),
  ownerIndex: json(19),
  route: json(20),
  ownerAgentType: json(21),
  toolName: json(22),
  input: json(23),
  inputHash: json(24),
  approvalId: json(25),
  timeoutMs: json(26),
  retentionMs: json(27),
  unitId: json(28),
  rawInput: json(29),
  submissionId: json(30),
  remote: json(31),
};

export const REFERENCE_LINES: Lines<ChildReferenceRow> = {
  state: json(1),
  startedAt: time(2),
  completedAt: time(3),
  stepId: json(4),
  sessionId: json(5),
  subSessionId: json(6),
  agentType: json(7),
  parentToolCallId: json(8),
  index: json(9),
  continuation: json(10),
  mode: json(11),
  name: json(12),
  closeReason: json(13),
  status: json(14),
  remote: json(15),
  generation: json(16),
  started: json(17),
  told: json(18),
  asked: json(19),
  wake: json(20),
  closingStep: json(21),
  closingAt: time(22),
};

/** `sending` names the command that put the input. */
export type StoredInput = InputRow & { readonly sending: string | null };

export const INPUT_LINES: Lines<StoredInput> = {
  state: json(1),
  seq: json(2),
  createdAt: time(3),
  settledAt: time(4),
  purgeAt: time(5),
  kind: json(6),
  end: json(7),
  wake: json(8),
  sending: json(9),
  rootId: json(10),
  sessionId: json(11),
  inputId: json(12),
  sender: json(13),
  content: json(14),
};

function json(number: number): Line {
  return { number, type: 'json' };
}

function time(number: number): Line {
  return { number, type: 'time' };
}

/** The fields to read from a hash. Their values come back in this order. */
export const SESSION_NAMES: readonly (keyof SessionRow)[] = columnNames(SESSION_COLUMNS);
export const RUN_NAMES: readonly (keyof RunRow)[] = columnNames(RUN_COLUMNS);

/** The columns in the order of their lines. */
export const CALL_NAMES: readonly (keyof StoredCall)[] = lineNames(CALL_LINES);
export const INPUT_NAMES: readonly (keyof StoredInput)[] = lineNames(INPUT_LINES);
export const REFERENCE_NAMES: readonly (keyof ChildReferenceRow)[] = lineNames(REFERENCE_LINES);

function columnNames<Row>(columns: Columns<Row>): readonly (keyof Row & string)[] {
  return Object.keys(columns) as (keyof Row & string)[];
}

function lineNames<Row>(lines: Lines<Row>): readonly (keyof Row & string)[] {
  const entries = Object.entries<Line>(lines).toSorted(([, a], [, b]) => a.number - b.number);
  return entries.map(([name]) => name as keyof Row & string);
}
