import { describe, it, onTestFinished } from 'vitest';
import { answerCall } from './answer-call.ts';
import { callsHaveParts } from './calls-have-parts.ts';
import { clocksDiffer } from './clocks-differ.ts';
import { commitCarriesAStream } from './commit-carries-a-stream.ts';
import { commitIsAtomic } from './commit-is-atomic.ts';
import { commitIsFenced } from './commit-is-fenced.ts';
import { commitsAtOnce } from './commits-at-once.ts';
import { companions } from './companions.ts';
import { deleteSession } from './delete-session.ts';
import { expireAndPurge } from './expire-and-purge.ts';
import { findAnswered } from './find-answered.ts';
import { findDue } from './find-due.ts';
import type { OpenStore, TestSessionStoreOptions } from './harness.ts';
import { interruptsAreStamped } from './interrupts-are-stamped.ts';
import { journalFirstWins } from './journal-first-wins.ts';
import { lease } from './lease.ts';
import { listing } from './listing.ts';
import { messagesAppendOnly } from './messages-append-only.ts';
import { noAliasing } from './no-aliasing.ts';
import { largeValues } from './large-values.ts';
import { oddValues } from './odd-values.ts';
import { putInput } from './put-input.ts';
import { referencesAndChildren } from './references-and-children.ts';
import { reopen } from './reopen.ts';
import { rowsGuard } from './rows-guard.ts';
import { runsAndCheckpoints } from './runs-and-checkpoints.ts';
import { takeReminders } from './take-reminders.ts';
import { twoConnections } from './two-connections.ts';
import { uniqueClashIsAMiss } from './unique-clash-is-a-miss.ts';

/**
 * What every session store must hold to. Registers vitest tests; each opens its own, empty store.
 *
 * Times are given relative to the `now` of a plan, never by waiting: a deadline an hour ago is
 * overdue on any clock.
 *
 * @example
 * testSessionStore({
 *   name: 'memory',
 *   create: async () => ({
 *     store: createMemorySessionStore(new MemoryDatabase()),
 *     close: async () => {},
 *   }),
 *   capabilities: { shared: false, persistent: false, serverClock: false },
 * });
 */
export function testSessionStore(options: TestSessionStoreOptions): void {
  const { name, capabilities } = options;
  const open: OpenStore = async () => {
    const opened = await options.create();
    onTestFinished(() => opened.close());
    return opened;
  };
  describe(`session store: ${name}`, () => {
    for (const property of properties) property(open);
    largeValues(open, capabilities.largestValueBytes);
    if (capabilities.persistent) reopen(open);
    else it('holds its rows after a reopen', ({ skip }) => skip(`${name}: persistent is false`));
    if (capabilities.shared) twoConnections(open);
    else it('holds between two connections', ({ skip }) => skip(`${name}: shared is false`));
    if (capabilities.serverClock) clocksDiffer(open);
    else it('holds between clocks', ({ skip }) => skip(`${name}: serverClock is false`));
    if (capabilities.carriesStreams) commitCarriesAStream(open);
    else it('carries streams', ({ skip }) => skip(`${name}: carriesStreams is not declared`));
  });
}

const properties: readonly ((open: OpenStore) => void)[] = [
  commitIsAtomic,
  commitIsFenced,
  commitsAtOnce,
  uniqueClashIsAMiss,
  journalFirstWins,
  rowsGuard,
  answerCall,
  callsHaveParts,
  expireAndPurge,
  takeReminders,
  interruptsAreStamped,
  lease,
  messagesAppendOnly,
  referencesAndChildren,
  runsAndCheckpoints,
  listing,
  findDue,
  findAnswered,
  noAliasing,
  oddValues,
  deleteSession,
  putInput,
  companions,
];
