import type { CommitInserts, CommitPlan } from '@helix-agents/core';
import { encodeFields, encodeRow, insertColumns, type Table } from '../../rows/column.ts';
import * as tables from '../../rows/tables.ts';
import { bigint, text, typesOf, type EncodedRow, type TypedColumn } from './params.ts';
import { assignments } from './row-writes.ts';

/** A plan, and the time from which its times are counted. */
export interface Dated {
  readonly plan: CommitPlan;
  readonly origin: number;
}

/**
 * Rows of several plans and what is done with them. Each row depends on its own session's being in `gate`. The text
 * follows from the shape.
 */
export interface GroupWrite {
  readonly shape: string;
  readonly columns: readonly TypedColumn[];
  readonly rows: readonly EncodedRow[];
  /** With the rows as a table `e`. */
  readonly text: (rows: string) => string;
}

type WritesOf = (plans: readonly Dated[]) => readonly GroupWrite[];

/** All that a plan of one session writes besides its row. */
export function groupWrites(plans: readonly Dated[]): readonly GroupWrite[] {
  return WRITES.flatMap((writesOf) => writesOf(plans));
}

const WRITES: readonly WritesOf[] = [
  removeJournal,
  updateRuns,
  insertOf(tables.messages, 'messages'),
  insertOf(tables.journal, 'journal'),
  insertOf(tables.checkpoints, 'checkpoints'),
  insertOf(tables.runs, 'runs'),
  insertOf(tables.usage, 'usage'),
];

function insertOf<Row>(table: Table<Row>, name: keyof CommitInserts): WritesOf {
  const names = insertColumns(table);
  const columns = typed(table, names);
  const insert = `insert into ${table.name} (${names.join(', ')}) select e.* from gate, `;
  const write = (list: string): string => `${insert}${list} where e.session_id = gate.session_id`;
  return (plans) => {
    const rows: EncodedRow[] = [];
    for (const { plan, origin } of plans) {
      const own = (plan.insert?.[name] ?? []) as readonly Row[];
      for (const row of own) rows.push(encodeRow(table, row, origin));
    }
    return rows.length === 0 ? [] : [{ shape: name, columns, rows, text: write }];
  };
}

const setRun = assignments(['run_id']);

/** A write for each set of columns that change. */
function updateRuns(plans: readonly Dated[]): readonly GroupWrite[] {
  const items = plans.flatMap(({ plan, origin }) =>
    (plan.update?.runs ?? []).map(({ runId, set }) =>
      encodeFields(tables.runs, { ...set, runId }, origin),
    ),
  );
  if (items.length === 0) return [];
  return [...Map.groupBy(items, (item) => Object.keys(item).join())].map(([shape, group]) => {
    const names = shape.split(',');
    return {
      shape: `set ${shape}`,
      columns: typed(tables.runs, names),
      rows: group.map((item) => names.map((name) => item[name] ?? null)),
      text: (list) => `update __agents_runs as t set ${setRun(names, (name) => `e.${name}`)}
        from gate, ${list} where t.run_id = e.run_id and t.session_id = gate.session_id`,
    };
  });
}

const journalKey = [text('session_id'), bigint('step_id')];

function removeJournal(plans: readonly Dated[]): readonly GroupWrite[] {
  const rows = plans.flatMap(({ plan }) =>
    (plan.remove?.journal ?? []).map(({ sessionId, stepId }) => [sessionId, stepId]),
  );
  if (rows.length === 0) return [];
  const remove = (list: string): string => `delete from __agents_journal as t using gate, ${list}
    where t.session_id = e.session_id and t.step_id = e.step_id and t.session_id = gate.session_id`;
  return [{ shape: 'remove journal', columns: journalKey, rows, text: remove }];
}

function typed<Row>(table: Table<Row>, names: readonly string[]): readonly TypedColumn[] {
  const typeOf = typesOf(table);
  return names.map((name) => ({ name, type: typeOf(name) }));
}
