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
  writeId: string,
): Statement | null {
  const compared = comparisons(plan, String(item['session_id']));
  if (!compared) return null;
  const params: SqlParam[] = [];
  const bind = (value: SqlParam): string => `?${params.push(value)}`;
  const sets = [`write_id = ${bind(writeId)}`];
  for (const [name, value] of Object.entries(item)) {
    if (name === 'raise_version' || name === 'raise_records') {
      const column = name.slice('raise_'.length);
      if (value === 1) sets.push(`${column} = ${column} + 1`);
    } else if (name !== 'session_id') {
      sets.push(`${name} = ${bind(value)}`);
    }
  }
  const conditions = compared.map(([name, value]) => `${name} = ${bind(value)}`);
  for (const { sessionId, runId } of plan.guard.interruptsAbsent ?? []) {
    conditions.push(`not exists (select 1 from __agents_interrupt_flags as i
      where i.session_id = ${bind(sessionId)} and i.run_id = ${bind(runId)})`);
  }
  const sql = `update __agents_sessions set ${sets.join(', ')} where ${conditions.join(' and ')}`;
  return { sql, params };
}

const COMPARED = {
  sessionId: 'session_id',
  version: 'version',
  epoch: 'epoch',
  stepId: 'step_id',
  records: 'records',
} as const satisfies Partial<Record<keyof SessionGuard, string>>;

/** Column and value for all that the plan asks of its one session; null when it asks for more. */
function comparisons(
  { guard, sessions }: CommitPlan,
  sessionId: string,
): readonly (readonly [string, SqlParam])[] | null {
  const [own, ...others] = guard.sessions ?? [];
  const asksForRows = [guard.callsOpen, guard.calls, guard.references, guard.journalAbsent].some(
    (list) => list !== undefined && list.length > 0,
  );
  const isAlone = own?.sessionId === sessionId && others.length === 0 && sessions?.length === 1;
  if (!isAlone || asksForRows || asksForMore(own)) return null;
  const status = own.status?.[0];
  const compared = Object.entries(COMPARED).flatMap(([field, name]): [string, SqlParam][] => {
    const value = own[field as keyof typeof COMPARED];
    return value === undefined ? [] : [[name, value]];
  });
  return status === undefined ? compared : [...compared, ['status', status]];
}

function asksForMore({ absent, leaseExpired, status }: SessionGuard): boolean {
  return absent !== undefined || leaseExpired !== undefined || (status?.length ?? 1) !== 1;
}
