import type { LedgerEntry } from './ledger.ts';

export interface Check {
  readonly ok: boolean;
  readonly text: string;
}

/**
 * Compares what the tools did with what is promised. `atKill` is the ledger at the moment the process was killed, null
 * if none was; `atEnd` the one after the run; `answers` what was said to each wish to publish.
 */
export function checkLedger(
  atKill: readonly LedgerEntry[] | null,
  atEnd: readonly LedgerEntry[],
  answers: readonly boolean[],
): Check[] {
  const yes = answers.filter(Boolean).length;
  const published = atEnd.filter((entry) => entry.tool === 'publish_report');
  return [
    ...(atKill ? checkKill(atKill, atEnd) : []),
    {
      ok: atEnd.every((entry) => entry.finished === 1),
      text: `${atEnd.length} calls in all, each finished exactly one time`,
    },
    {
      ok: published.length === yes && published.every(({ started }) => started === 1),
      text: describeAnswers(answers.length, yes),
    },
  ];
}

function describeAnswers(asked: number, yes: number): string {
  if (asked === 0) return 'nothing was published: it never asked';
  if (yes === 0) return 'nothing was published, as you said';
  return yes === 1 ? 'published one time, after the yes' : `published ${yes} times, after each yes`;
}

function checkKill(atKill: readonly LedgerEntry[], atEnd: readonly LedgerEntry[]): Check[] {
  const end = new Map(atEnd.map((entry) => [entry.key, entry]));
  const finished = atKill.filter((entry) => entry.finished > 0);
  const inFlight = atKill.filter((entry) => entry.finished === 0);
  return [
    {
      ok: finished.length > 0 && finished.every((entry) => end.get(entry.key)?.started === 1),
      text: `${finished.length} calls had finished before the kill: none was started again`,
    },
    {
      ok: inFlight.length === 1 && inFlight.every((entry) => isRepeatedOnce(end.get(entry.key))),
      text: `${inFlight.length} call was cut off by the kill: started once more, under the same key, and finished`,
    },
  ];
}

function isRepeatedOnce(entry: LedgerEntry | undefined): boolean {
  return entry?.started === 2 && entry.finished === 1;
}
