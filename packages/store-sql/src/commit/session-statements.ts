import type { SessionRow } from '@helix-agents/core';
import type { CommitPlan, SessionUpdate } from '@helix-agents/core/store';
import type { SqlParam, Statement } from '../driver.ts';
import { encodeFields, encodeRow, insertColumns } from '../rows/column.ts';
import { sessions } from '../rows/tables.ts';
import { guardClause, guardParams } from './guard.ts';
import { renderPlainUpdate } from './plain-update.ts';
import { groupRows } from './row-groups.ts';
import {
  gatedText,
  jsonSet,
  maskedParams,
  maskedSet,
  params,
  renderGated,
  settable,
  type Gate,
  type UpdateItem,
} from './row-statements.ts';

/** Without columns that never change and those that only `raise` changes. */
const columns = settable(sessions, ['session_id', 'root_id', 'version', 'records', 'created_at']);

/** `?1` session, `?2` and `?3` increments of version and records, `?4` mask and values. */
const updateOne = `update __agents_sessions as t set ${maskedSet(columns, 4)},
    version = t.version + ?2, records = t.records + ?3`;
const afterUpdate = 4 + columns.length + 1;

const guardedUpdate = `${updateOne}, write_id = ?${afterUpdate}
    where t.session_id = ?1 and ${guardClause(afterUpdate + 1)}`;

const otherUpdate = gatedText(`${updateOne} where t.session_id = ?1`, 'and', afterUpdate);

const otherUpdates = gatedText(
  `update __agents_sessions as t set ${jsonSet(columns)},
    version = t.version + e.value ->> 'raise_version',
    records = t.records + e.value ->> 'raise_records'
    from json_each(?1) as e where t.session_id = e.value ->> 'session_id'`,
  'and',
  2,
);

const inserted = [...insertColumns(sessions), 'write_id'];

const guardedInsert = `insert into __agents_sessions (${inserted.join(', ')})
    select ${params(1, inserted.length)} where ${guardClause(inserted.length + 1)}`;

/** The first statement of a batch: changes one row if every guard of the plan holds, otherwise none. */
export function renderGuardedUpdate(
  plan: CommitPlan,
  update: SessionUpdate,
  writeId: string | null,
): Statement {
  const plain = renderPlainUpdate(plan, update, writeId);
  if (plain) return plain;
  const item = encodeUpdate(update);
  return {
    sql: guardedUpdate,
    params: [...updateParams(item), writeId ?? '', ...guardParams(plan)],
  };
}

export function renderGuardedInsert(
  plan: CommitPlan,
  row: SessionRow,
  writeId: string | null,
): Statement {
  return {
    sql: guardedInsert,
    params: [...encodeRow(sessions, row), writeId ?? '', ...guardParams(plan)],
  };
}

export function renderOtherUpdates(others: readonly SessionUpdate[], gate: Gate): Statement[] {
  const items = others.map(encodeUpdate);
  return groupRows(items).map((group) =>
    'row' in group
      ? renderGated(otherUpdate, updateParams(group.row), gate)
      : renderGated(otherUpdates, [group.json], gate),
  );
}

function encodeUpdate({ sessionId, set, raise }: SessionUpdate): UpdateItem {
  const fields: Partial<SessionRow> = set ?? {};
  return {
    ...encodeFields(sessions, fields),
    session_id: sessionId,
    raise_version: raise?.version === true ? 1 : 0,
    raise_records: raise?.records === true ? 1 : 0,
  };
}

function updateParams(item: UpdateItem): readonly SqlParam[] {
  const fixed = ['session_id', 'raise_version', 'raise_records'];
  return [...fixed.map((name) => item[name] ?? null), ...maskedParams(columns, item)];
}
