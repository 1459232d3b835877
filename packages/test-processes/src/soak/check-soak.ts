import { checkSession } from '../check-session.ts';
import { readExecutions } from '../ledger.ts';
import { openStores, type StoreAddress } from '../store-address.ts';
import { judge } from './judge.ts';
import type { Heard, Said } from './said.ts';
import type { Damage } from './weather.ts';

/** What a soak saw, counted. */
export interface SoakCounts extends Damage {
  sessions: number;
  turns: number;
  answersAccepted: number;
  approvalsAccepted: number;
  denialsAccepted: number;
  /** Answers whose first reply was lost, and that were sent again. */
  answersSentAgain: number;
  messagesSentAgain: number;
  /** Times that a process went on with the run of another. */
  takeovers: number;
  /** Executions of the tool that runs at most once, and how often its process died meanwhile. */
  onceExecutions: number;
  onceOutcomeUnknown: number;
  /** Executions of other tools that were repeated. */
  repeatedExecutions: number;
  /** Sessions whose stream lost text in an outage; their transcripts have it. */
  textGaps: number;
}

export interface SoakReport {
  readonly counts: Readonly<SoakCounts>;
  /** Refusals that persons met, by code. */
  readonly refusals: ReadonlyMap<string, number>;
  /** What did not hold, one line each. */
  readonly faults: readonly string[];
}

export interface SoakEnd {
  readonly address: StoreAddress;
  readonly ledger: string;
  readonly sessionIds: readonly string[];
  readonly said: Said;
  readonly damage: Damage;
}

/** Looks at every session in the store: rows, stream, transcript, ledger, and what persons said and heard. */
export async function checkSoak(end: SoakEnd): Promise<SoakReport> {
  const { address, ledger, sessionIds, said, damage } = end;
  const counts = { ...damage, ...countSaid(said), ...countExecutions(ledger) };
  const seen = { sessions: 0, turns: 0, takeovers: 0, onceOutcomeUnknown: 0, textGaps: 0 };
  const faults = [...said.faults];
  const interruptions = Object.values(damage).reduce((sum, count) => sum + count, 0);
  const stores = await openStores(address);
  try {
    for (const sessionId of sessionIds) {
      const checked = await checkSession(stores, ledger, sessionId, interruptions);
      const { sessions } = checked.dump;
      const found = judge({
        answers: said.answers.filter((one) => one.sessionId === sessionId),
        messages: said.messages.filter((one) => one.sessionId === sessionId),
        transcripts: sessions.map(({ messages }) => messages),
      });
      // Text is the one thing that a stream may lose while its store is down.
      const { gaps: textGaps = [], broken = [] } = Object.groupBy(checked.faults, (fault) =>
        fault.includes(' streamed [') ? 'gaps' : 'broken',
      );
      seen.textGaps += textGaps.length;
      faults.push(...[...broken, ...found].map((fault) => `${sessionId}: ${fault}`));
      const root = sessions[0];
      if (!root) continue;
      if (root.session.status !== 'completed') {
        faults.push(`${sessionId}: is ${root.session.status}: no sweep finished it`);
      }
      seen.sessions += 1;
      seen.turns += root.messages.filter(({ role }) => role === 'user').length;
      // Each claim of a run counts one up, and each run is claimed once without a takeover.
      seen.takeovers += root.session.epoch - root.runs.length;
      seen.onceOutcomeUnknown += checked.results.filter((result) =>
        result.endsWith('tool_outcome_unknown'),
      ).length;
    }
  } finally {
    stores.close();
  }
  const all = { ...counts, ...seen };
  return { counts: all, refusals: said.refusals, faults: [...faults, ...gaps(all)] };
}

function countSaid({
  answers,
  messages,
}: Said): Pick<
  SoakCounts,
  | 'answersAccepted'
  | 'approvalsAccepted'
  | 'denialsAccepted'
  | 'answersSentAgain'
  | 'messagesSentAgain'
> {
  const heard = (wanted: Heard): typeof answers =>
    answers.filter((answer) => answer.heard.includes(wanted));
  const accepted = heard('accepted');
  return {
    answersAccepted: accepted.length,
    approvalsAccepted: accepted.filter(({ kind }) => kind === 'approval').length,
    denialsAccepted: accepted.filter(({ kind }) => kind === 'denial').length,
    answersSentAgain: heard('unheard').length,
    messagesSentAgain: messages.filter(({ tries }) => tries > 1).length,
  };
}

function countExecutions(
  ledger: string,
): Pick<SoakCounts, 'onceExecutions' | 'repeatedExecutions'> {
  const executions = readExecutions(ledger);
  return {
    onceExecutions: executions.filter(({ tool }) => tool === 'send').length,
    repeatedExecutions: executions.length - new Set(executions.map(({ key }) => key)).size,
  };
}

/** What depends on the moment at which something is hit: a short soak may miss it. */
const BY_CHANCE: readonly (keyof SoakCounts)[] = [
  'answersSentAgain',
  'messagesSentAgain',
  'onceOutcomeUnknown',
  'repeatedExecutions',
  'denialsAccepted',
];
/** A soak with more executions than this misses none of them. */
const MANY = 200;

/** A soak that saw nothing of a kind says nothing about it. */
export function gaps(counts: Readonly<SoakCounts>): string[] {
  const { textGaps: _, ...needed } = counts;
  const names = Object.keys(needed) as (keyof typeof needed)[];
  const due = names.filter((name) => counts.onceExecutions > MANY || !BY_CHANCE.includes(name));
  return due.filter((name) => !(counts[name] > 0)).map((name) => `the soak saw no ${name}`);
}
