import type { LedgerEntry } from './ledger.ts';

export interface Check {
  readonly ok: boolean;
  readonly text: string;
}

/**
 * Compares what the tools did with what is promised. `atKill` is the ledger at the moment the process was killed,
 * `atEnd` the one after the run.
 */
export function checkLedger(
  atKill: readonly LedgerEntry[],
  atEnd: readonly LedgerEntry[],
  approved: boolean,
): Check[] {
  const end = new Map(atEnd.map((entry) => [entry.key, entry]));
  const finished = atKill.filter((entry) => entry.finished > 0);
  const inFlight = atKill.filter((entry) => entry.finished === 0);
  const published = atEnd.filter((entry) => entry.tool === 'publish_report');
  return [
    {
      ok: finished.length > 0 && finished.every((entry) => end.get(entry.key)?.started === 1),
      text: `${finished.length} calls had finished before the kill: none was started again`,
    },
    {
      ok: inFlight.length === 1 && inFlight.every((entry) => isRepeatedOnce(end.get(entry.key))),
      text: `${inFlight.length} call was cut off by the kill: started once more, under the same key, and finished`,
    },
    {
      ok: atEnd.every((entry) => entry.finished === 1),
      text: `${atEnd.length} calls in all, each finished exactly one time`,
    },
    {
      ok:
        published.length === (approved ? 1 : 0) && published.every(({ started }) => started === 1),
      text: approved ? 'published one time, after the yes' : 'nothing was published, as you said',
    },
  ];
}

function isRepeatedOnce(entry: LedgerEntry | undefined): boolean {
  return entry?.started === 2 && entry.finished === 1;
}
