import type { CommitPlan, SessionGuard } from '@helix-agents/core';
import type { SqlParam, Statement } from '../driver.ts';
import type { UpdateItem } from './row-statements.ts';

/**
 * The first statement of the commits that make up nearly all: one session, guarded by its own row and perhaps by there
 * being no interrupt. Names only the columns it sets and compares, so the database touches no index in vain. Its texts are as many
 * as the engine has kinds of commits. Null for a plan of another shape.
 */
export function renderPlainUpdate(
  plan: CommitPlan,
  item: UpdateItem,
  writeId: string | null,
): Statement | null {
  const params: SqlParam[] = writeId === null ? [] : [writeId];
  const sets: string[] = [];
  for (const name of Object.keys(item)) {
    if (name === 'session_id') continue;
    if (name !== 'raise_version' && name !== 'raise_records') params.push(item[name] ?? null);
    else if (item[name] === 0) continue;
    sets.push(name);
  }
  const conditions = compare(plan, String(item['session_id']), params);
  if (!conditions) return null;
  const interrupts = plan.guard.interruptsAbsent ?? [];
  for (const { sessionId, runId } of interrupts) params.push(sessionId, runId);
  return { sql: textOf(writeId !== null, sets, conditions, interrupts.length), params };
}

const texts = new Map<string, string>();

/** Made once for each set of names. */
function textOf(
  isStamped: boolean,
  sets: readonly string[],
  conditions: readonly string[],
  interrupts: number,
): string {
  const shape = `${isStamped} ${sets.join()} ${conditions.join()} ${interrupts}`;
  const known = texts.get(shape);
  if (known !== undefined) return known;
  let last = isStamped ? 1 : 0;
  const next = (): string => `?${(last += 1)}`;
  const assignments = sets.map((name) => {
    const raised = /^raise_(.*)/.exec(name)?.[1];
    return raised === undefined ? `${name} = ${next()}` : `${raised} = ${raised} + 1`;
  });
  const wanted = conditions.map((name) => `${name} = ${next()}`);
  for (let left = interrupts; left > 0; left -= 1) {
    wanted.push(`not exists (select 1 from __agents_interrupt_flags as i
      where i.session_id = ${next()} and i.run_id = ${next()})`);
  }
  const set = isStamped ? ['write_id = ?1', ...assignments] : assignments;
  const text = `update __agents_sessions set ${set.join(', ') || 'write_id = write_id'} where ${wanted.join(' and ')}`;
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

/** The columns that the plan compares on its one session, their values added to `params`; null when it asks for more. */
function compare(
  { guard, sessions }: CommitPlan,
  sessionId: string,
  params: SqlParam[],
): readonly string[] | null {
  const [own, ...others] = guard.sessions ?? [];
  const isAlone = own?.sessionId === sessionId && others.length === 0 && sessions?.length === 1;
  if (!isAlone || asksForRows(guard) || asksForMore(own)) return null;
  const names: string[] = [];
  for (const [field, name] of COMPARED) {
    const value = own[field];
    if (value === undefined) continue;
    names.push(name);
    params.push(value);
  }
  const status = own.status?.[0];
  if (status !== undefined) {
    names.push('status');
    params.push(status);
  }
  return names;
}

function asksForRows({
  callsOpen,
  calls,
  references,
  journalAbsent,
}: CommitPlan['guard']): boolean {
  return [callsOpen, calls, references, journalAbsent].some((list) => (list?.length ?? 0) > 0);
}

function asksForMore({ absent, leaseExpired, status }: SessionGuard): boolean {
  return absent !== undefined || leaseExpired !== undefined || (status?.length ?? 1) !== 1;
}
