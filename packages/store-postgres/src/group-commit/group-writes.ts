import type { CommitInserts, CommitPlan } from '@helix-agents/core/store';
import {
  encodeFields,
  encodeRow,
  insertColumns,
  tables,
  type Table,
} from '@helix-agents/store-sql';
import { bigint, text, typesOf, type EncodedRow, type TypedColumn } from '../commit/params.ts';
import { assignments } from '../commit/row-writes.ts';

/**
 * Rows and the SQL that writes them. A row is written only if its session is in `gate`. Writes of the same shape have the same SQL and
 * can be merged.
 */
export interface GroupWrite {
  /** Set if other parts read it. */
  readonly name?: string;
  readonly shape: string;
  readonly columns: readonly TypedColumn[];
  readonly rows: readonly EncodedRow[];
  /** SQL with the rows as a table `e`. */
  readonly text: (rows: string) => string;
}

type WritesOf = (plan: CommitPlan, origin: number) => readonly GroupWrite[];

/** All writes of a plan about one session except that of its session row, with times relative to `origin`. */
export function groupWrites(plan: CommitPlan, origin: number): readonly GroupWrite[] {
  return WRITES.flatMap((writesOf) => writesOf(plan, origin));
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
  const text = (list: string): string =>
    `insert into ${table.name} (${names.join(', ')}) select e.* from gate, ${list}
      where e.session_id = gate.session_id`;
  return ({ insert = {} }, origin) => {
    const own = (insert[name] ?? []) as readonly Row[];
    if (own.length === 0) return [];
    return [{ shape: name, columns, rows: own.map((row) => encodeRow(table, row, origin)), text }];
  };
}

const setRun = assignments(['run_id']);

function updateRuns({ update = {} }: CommitPlan, origin: number): readonly GroupWrite[] {
  return (update.runs ?? []).map(({ runId, set }) => {
    const item = encodeFields(tables.runs, { ...set, runId }, origin);
    const names = Object.keys(item);
    return {
      shape: `set ${names.join()}`,
      columns: typed(tables.runs, names),
      rows: [Object.values(item)],
      text: (list) => `update __agents_runs as t set ${setRun(names, (name) => `e.${name}`)}
        from gate, ${list} where t.run_id = e.run_id and t.session_id = gate.session_id`,
    };
  });
}

const journalKey = [text('session_id'), bigint('step_id')];

function removeJournal({ remove = {} }: CommitPlan): readonly GroupWrite[] {
  const rows = (remove.journal ?? []).map(({ sessionId, stepId }) => [sessionId, stepId]);
  if (rows.length === 0) return [];
  const removal = (list: string): string => `delete from __agents_journal as t using gate, ${list}
    where t.session_id = e.session_id and t.step_id = e.step_id and t.session_id = gate.session_id`;
  return [{ shape: 'remove journal', columns: journalKey, rows, text: removal }];
}

function typed<Row>(table: Table<Row>, names: readonly string[]): readonly TypedColumn[] {
  const typeOf = typesOf(table);
  return names.map((name) => ({ name, type: typeOf(name) }));
}
