import type { CommitRemovals } from '@helix-agents/core';
import type { SqlParam, Statement } from '../driver.ts';
import { jsonParam } from './json-param.ts';
import { gatedText, renderGated, type Gate, type GatedText } from './row-statements.ts';

const deleteJournalOfOne = gatedText(
  `delete from __agents_journal where session_id = ?1 and step_id = ?2`,
  'and',
  3,
);

/** What a step that was journaled removes. */
export const deleteOneJournal: string = deleteJournalOfOne.free;

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

export function renderRemovals(remove: CommitRemovals, gate: Gate): Statement[] {
  const journal = (remove.journal ?? []).map(({ sessionId, stepId }) => [sessionId, stepId]);
  const interrupts = (remove.interrupts ?? []).map(({ sessionId, runId }) => [sessionId, runId]);
  const after = (remove.messagesAfter ?? []).map(({ sessionId, sequence }) => [
    sessionId,
    sequence,
  ]);
  const later = (remove.checkpointsAfter ?? []).map(({ sessionId, version }) => [
    sessionId,
    version,
  ]);
  return [
    ...journalDeletion(journal, gate),
    ...deletion(deleteInterrupts, interrupts, gate),
    ...deletion(deleteMessages, after, gate),
    ...deletion(deleteCheckpoints, later, gate),
  ];
}

function journalDeletion(keys: readonly (readonly SqlParam[])[], gate: Gate): Statement[] {
  const [first] = keys;
  return keys.length === 1 && first
    ? [renderGated(deleteJournalOfOne, first, gate)]
    : deletion(deleteJournal, keys, gate);
}

function deletion(
  text: GatedText,
  keys: readonly (readonly SqlParam[])[],
  gate: Gate,
): Statement[] {
  return keys.length === 0 ? [] : [renderGated(text, [jsonParam(keys)], gate)];
}
