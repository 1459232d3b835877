import { findTranscriptFault } from '@helix-agents/core/host';
import type { SessionDump, TreeDump } from './tree-dump.ts';

/** What must hold of the rows of a tree that has ended, whatever happened on the way. Returns what does not. */
export function checkRows(dump: TreeDump): string[] {
  const faults = dump.sessions.flatMap((one) =>
    [...transcriptFaults(one), ...runFaults(one), ...leftovers(one)].map(
      (fault) => `${one.session.sessionId}: ${fault}`,
    ),
  );
  const root = dump.sessions[0]?.session;
  if (!root || !isTerminal(root.status)) faults.push(`the root is ${root?.status ?? 'absent'}`);
  for (const call of dump.calls) {
    if (call.state !== 'settled') faults.push(`call ${call.toolCallId} is ${call.state}`);
  }
  return faults;
}

function transcriptFaults({ session, messages, sequences }: SessionDump): string[] {
  const faults: string[] = [];
  if (sequences.some((sequence, position) => sequence !== position + 1)) {
    faults.push(`messages are numbered ${sequences.join(',')}`);
  }
  if (session.messageCount !== messages.length) {
    faults.push(`counts ${session.messageCount} messages, has ${messages.length}`);
  }
  const fault = findTranscriptFault(messages);
  if (fault) faults.push(fault);
  return faults;
}

function runFaults({ session, runs }: SessionDump): string[] {
  const faults: string[] = [];
  runs.forEach((run, position) => {
    const before = position === 0 ? null : (runs[position - 1]?.runId ?? null);
    if (run.turn !== position + 1) faults.push(`run ${position} has turn ${run.turn}`);
    if (run.previousRunId !== before) faults.push(`run ${run.turn} does not follow the one before`);
    if (run.status === 'running') faults.push(`run ${run.turn} is open`);
    if (run.completedAt === null) faults.push(`run ${run.turn} has no end`);
  });
  if (session.turn !== runs.length) faults.push(`turn ${session.turn} of ${runs.length} runs`);
  return faults;
}

function leftovers({ session, step, references }: SessionDump): string[] {
  const faults: string[] = [];
  if (!isTerminal(session.status)) faults.push(`status ${session.status}`);
  if (session.leaseOwner !== null || session.leaseUntil !== null) faults.push('a lease is left');
  const left = step.journal.filter(({ kind }) => kind !== 'withdrawn');
  if (left.length > 0) faults.push(`${left.length} journal rows are left`);
  if (step.interrupt) faults.push('an interrupt is left');
  if (session.stepMessage !== null) faults.push('a half step is left');
  for (const { subSessionId, state } of references) {
    if (state !== 'closed') faults.push(`the reference to ${subSessionId} is ${state}`);
  }
  return faults;
}

function isTerminal(status: string): boolean {
  return status === 'completed' || status === 'failed';
}
