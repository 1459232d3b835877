import type { CommitRemovals } from '@helix-agents/core/store';
import type { SqlParam, Statement } from '../driver.ts';
import { jsonParam } from './json-param.ts';
import { gatedText, renderGated, type Gate, type GatedText } from './row-statements.ts';

const deleteJournalOfOne = gatedText(
  `delete from __agents_journal where session_id = ?1 and step_id = ?2`,
  'and',
  3,
);

const deleteJournal = gatedText(
  `delete from __agents_journal
  where (session_id, step_id) in (select e.value ->> 0, e.value ->> 1 from json_each(?1) as e)`,
  'and',
  2,
);

const deleteInterrupts = gatedText(
  `delete from __agents_interrupt_flags
  where (session_id, run_id) in (select e.value ->> 0, e.value ->> 1 from json_each(?1) as e)`,
  'and',
  2,
);

const deleteMessages = gatedText(
  `delete from __agents_messages
  where id in (
      select m.id from json_each(?1) as e
      join __agents_messages as m on m.session_id = e.value ->> 0 and m.sequence > e.value ->> 1)`,
  'and',
  2,
);

const deleteCheckpoints = gatedText(
  `delete from __agents_checkpoints
  where (session_id, version) in (
      select c.session_id, c.version from json_each(?1) as e
      join __agents_checkpoints as c on c.session_id = e.value ->> 0 and c.version > e.value ->> 1)`,
  'and',
  2,
);

/** Adds the statements for these removals to a batch. */
export function addRemovals(
  batch: Statement[],
  { journal = [], interrupts = [], messagesAfter = [], checkpointsAfter = [] }: CommitRemovals,
  gate: Gate,
): void {
  const [only] = journal;
  if (only && journal.length === 1)
    batch.push(renderGated(deleteJournalOfOne, [only.sessionId, only.stepId], gate));
  else add(batch, deleteJournal, journal, gate, ({ sessionId, stepId }) => [sessionId, stepId]);
  add(batch, deleteInterrupts, interrupts, gate, ({ sessionId, runId }) => [sessionId, runId]);
  add(batch, deleteMessages, messagesAfter, gate, ({ sessionId, sequence }) => [
    sessionId,
    sequence,
  ]);
  add(batch, deleteCheckpoints, checkpointsAfter, gate, ({ sessionId, version }) => [
    sessionId,
    version,
  ]);
}

function add<Item>(
  batch: Statement[],
  text: GatedText,
  items: readonly Item[],
  gate: Gate,
  keyOf: (item: Item) => readonly SqlParam[],
): void {
  if (items.length > 0) batch.push(renderGated(text, [jsonParam(items.map(keyOf))], gate));
}
