import type { SessionRow } from '@helix-agents/core';
import type {
  CommitGuard,
  CommitPlan,
  SessionGuard,
  SessionUpdate,
} from '@helix-agents/core/store';
import type { SqlParam, Statement } from '../driver.ts';
import { encodeInto, namesIn } from '../rows/column.ts';
import { sessions } from '../rows/tables.ts';

/** More rows than this are compared as a JSON list. */
const FEW_ROWS = 3;

/**
 * The first statement of nearly all commits: one session, guarded by its own row, by few calls and by the absence of interrupts. It
 * names only the columns that it sets and compares, so that the database writes no other index. There is one text per combination of
 * columns, of which the engine has few. Null for a plan that needs more.
 */
export function renderPlainUpdate(
  plan: CommitPlan,
  { sessionId, set, raise }: SessionUpdate,
  writeId: string | null,
): Statement | null {
  const own = onlyGuard(plan, sessionId);
  if (!own) return null;
  const params: SqlParam[] = writeId === null ? [] : [writeId];
  const sets = encodeInto<SessionRow>(sessions, set ?? NONE, params);
  const wanted: Wanted[] = [];
  compareSession(own, wanted, params);
  compareRows(plan.guard, wanted, params);
  return { sql: textOf({ isStamped: writeId !== null, sets, raise }, wanted), params };
}

const NONE = {};

/** What an update changes: the columns in the mask `sets`, and counters that it increments. */
interface Change {
  readonly isStamped: boolean;
  readonly sets: number;
  readonly raise: SessionUpdate['raise'];
}

/** A condition of an update: a column of the session has a value, a call is in a state, or no interrupt is pending. */
type Wanted = (typeof COMPARED)[number][1] | 'status' | keyof typeof ROWS;

const texts = new Map<string, string>();

/** Each text is made once. */
function textOf({ isStamped, sets, raise = {} }: Change, wanted: readonly Wanted[]): string {
  const raised = (['version', 'records'] as const).filter((name) => raise[name]);
  const shape = `${isStamped} ${sets} ${raised.join()} ${wanted.join()}`;
  const known = texts.get(shape);
  if (known !== undefined) return known;
  let last = isStamped ? 1 : 0;
  const next = (): string => `?${(last += 1)}`;
  const conditionOf = (one: Wanted): string =>
    one in ROWS ? ROWS[one as keyof typeof ROWS](next) : `${one} = ${next()}`;
  const set = [
    ...(isStamped ? ['write_id = ?1'] : []),
    ...namesIn(sessions, sets).map((name) => `${name} = ${next()}`),
    ...raised.map((name) => `${name} = ${name} + 1`),
  ];
  const conditions = wanted.map(conditionOf);
  const text = `update __agents_sessions set ${set.join(', ') || 'write_id = write_id'} where ${conditions.join(' and ')}`;
  texts.set(shape, text);
  return text;
}

const COMPARED = [
  ['sessionId', 'session_id'],
  ['version', 'version'],
  ['epoch', 'epoch'],
  ['stepId', 'step_id'],
  ['records', 'records'],
] as const;

const callWith = (next: () => string): string => `select 1 from __agents_open_calls as c
      where c.root_id = ${next()} and c.tool_call_id = ${next()} and c.part = ${next()}`;

/** Conditions on rows of other tables. */
const ROWS = {
  open_call: (next: () => string) => `exists (${callWith(next)} and c.state = 'open')`,
  decided_call: (next: () => string) =>
    `exists (${callWith(next)} and c.state = ${next()} and c.outcome = ${next()})`,
  not_closed: () => 'closed = 0',
  no_interrupt: (next: () => string) => `not exists (select 1 from __agents_interrupt_flags as i
      where i.session_id = ${next()} and i.run_id = ${next()})`,
} as const;

function compareSession(own: SessionGuard, wanted: Wanted[], params: SqlParam[]): void {
  for (const [field, name] of COMPARED) {
    const value = own[field];
    if (value === undefined) continue;
    wanted.push(name);
    params.push(value);
  }
  if (own.closed === false) wanted.push('not_closed');
  const status = own.status?.[0];
  if (status === undefined) return;
  wanted.push('status');
  params.push(status);
}

function compareRows(guard: CommitGuard, wanted: Wanted[], params: SqlParam[]): void {
  for (const { rootId, toolCallId, part } of guard.callsOpen ?? []) {
    wanted.push('open_call');
    params.push(rootId, toolCallId, part);
  }
  for (const { key, state, outcome } of guard.calls ?? []) {
    wanted.push('decided_call');
    params.push(key.rootId, key.toolCallId, key.part, state, outcome);
  }
  for (const { sessionId, runId } of guard.interruptsAbsent ?? []) {
    wanted.push('no_interrupt');
    params.push(sessionId, runId);
  }
}

/** The guard of the plan's one session; null when the plan is about several, or has guards that this statement cannot express. */
function onlyGuard({ guard, sessions }: CommitPlan, sessionId: string): SessionGuard | null {
  const own = guard.sessions?.[0];
  if (own?.sessionId !== sessionId || guard.sessions?.length !== 1 || sessions?.length !== 1)
    return null;
  return asksForMany(guard) || asksForMore(own) ? null : own;
}

function asksForMany(guard: CommitGuard): boolean {
  const { callsOpen = [], calls = [], references = [], journalAbsent = [] } = guard;
  const { interruptsAbsent = [], interruptsPresent = [] } = guard;
  if (references.length + journalAbsent.length + interruptsPresent.length > 0) return true;
  return callsOpen.length + calls.length + interruptsAbsent.length > FEW_ROWS;
}

function asksForMore({ absent, leaseExpired, status }: SessionGuard): boolean {
  return absent !== undefined || leaseExpired !== undefined || (status?.length ?? 1) !== 1;
}
