import type { SessionRow } from '@helix-agents/core';
import type { CommitPlan, SessionGuard, SessionUpdate } from '@helix-agents/core/store';
import { replayWrites } from './replay.ts';
import { sessionsOf, type Rule } from './support.ts';
import type { DumpedSession } from './types.ts';

/** Runs count 1…n, each follows the one before, at most one is open. */
export const runsFormAChain: Rule = {
  id: 'R1',
  check: (history) => [
    ...repeatedRunIds(sessionsOf(history.end)),
    ...[history.rest, history.end].flatMap((dump) => sessionsOf(dump).flatMap(chainFaults)),
  ],
};

function repeatedRunIds(sessions: readonly DumpedSession[]): string[] {
  const ids = sessions.flatMap(({ runs }) => runs.map((run) => run.runId));
  return ids.filter((id, position) => ids.indexOf(id) !== position).map((id) => `run ${id} twice`);
}

function chainFaults({ session, runs }: DumpedSession): string[] {
  const faults: string[] = [];
  for (const [position, run] of runs.entries()) {
    const name = `${session.sessionId} run ${run.turn}`;
    if (run.turn !== position + 1) faults.push(`${name} stands at place ${position + 1}`);
    if (run.previousRunId !== (runs[position - 1]?.runId ?? null))
      faults.push(`${name} does not follow the run before it`);
    if (run.status === 'running') {
      if (position !== runs.length - 1 || session.status !== 'running')
        faults.push(`${name} was left open`);
    } else if (run.completedAt === null) faults.push(`${name} is ${run.status} without an end`);
  }
  const last = runs.at(-1);
  if (last && last.runId !== session.runId)
    faults.push(
      `${session.sessionId} is in run ${session.runId}, the newest record is ${last.runId}`,
    );
  if (last && session.turn !== last.turn)
    faults.push(`${session.sessionId} counts turn ${session.turn} of ${last.turn}`);
  return faults;
}

/** Every write of a run is fenced, and comes from the process that claimed its epoch. */
export const oldOwnersWriteNothing: Rule = {
  id: 'R2',
  check(history) {
    const faults: string[] = [];
    const owners = new Map<string, string>();
    replayWrites(history, {
      before(write, rows) {
        if (write.kind !== 'commit' || !write.applied) return;
        const { plan, at, process } = write;
        for (const update of plan.sessions ?? []) {
          const guard = plan.guard.sessions?.find((one) => one.sessionId === update.sessionId);
          const row = rows.sessions.get(update.sessionId);
          faults.push(...fenceFaults(update, guard, row).map((fault) => `at ${at}: ${fault}`));
        }
        for (const { sessionId, kind } of plan.insert?.journal ?? []) {
          // Also written by a process that closes the session, under the guards of the close.
          if (kind === 'withdrawn') continue;
          const owner = claims(plan, sessionId) ? process : owners.get(sessionId);
          if (history.facts.databases === 'one' && owner !== process)
            faults.push(`at ${at}: ${process} recorded a ${kind} of ${sessionId}, not ${owner}`);
        }
      },
      after(write) {
        if (write.kind !== 'commit' || !write.applied) return;
        for (const { sessionId, set } of write.plan.sessions ?? [])
          if (set?.epoch !== undefined) owners.set(sessionId, write.process);
        for (const { sessionId } of write.plan.insert?.sessions ?? [])
          owners.set(sessionId, write.process);
      },
    });
    return faults;
  },
};

/** Whether the write makes its process the owner: what it records besides is its own. */
function claims({ sessions = [] }: CommitPlan, sessionId: string): boolean {
  return sessions.some((one) => one.sessionId === sessionId && one.set?.epoch !== undefined);
}

function fenceFaults(
  { sessionId, raise, set }: SessionUpdate,
  guard: SessionGuard | undefined,
  row: SessionRow | undefined,
): string[] {
  const faults: string[] = [];
  const fence = set?.epoch === undefined ? guard?.epoch : guard?.version;
  if (raise?.records && fence === undefined)
    faults.push(`a record of ${sessionId} that names no epoch`);
  if (raise?.version && guard?.version === undefined)
    faults.push(`a commit of ${sessionId} that names no version`);
  return row ? [...faults, ...epochFaults(row, guard?.epoch, set?.epoch)] : faults;
}

function epochFaults(
  { sessionId, epoch }: SessionRow,
  named: number | undefined,
  next: number | undefined,
): string[] {
  const faults: string[] = [];
  if (named !== undefined && named !== epoch)
    faults.push(`epoch ${named} wrote ${sessionId}, which is at ${epoch}`);
  if (next !== undefined && next !== epoch + 1)
    faults.push(`${sessionId} went from epoch ${epoch} to ${next}`);
  return faults;
}

/** Steps of a turn only go up, and not beyond the budget. */
export const stepsStayInBudget: Rule = {
  id: 'R3',
  check(history) {
    const faults: string[] = [];
    replayWrites(history, {
      before(write, rows) {
        if (write.kind !== 'commit' || !write.applied) return;
        for (const { sessionId, set } of write.plan.sessions ?? []) {
          const row = rows.sessions.get(sessionId);
          if (!row || !set) continue;
          const newTurn = (write.plan.insert?.runs ?? []).some(
            (run) => run.sessionId === sessionId && run.trigger === 'execute',
          );
          const count = set.stepCount ?? row.stepCount;
          if (count < row.stepCount && !newTurn)
            faults.push(
              `at ${write.at}: ${sessionId} went back from step ${row.stepCount} to ${count}`,
            );
          if (count > history.facts.maxSteps)
            faults.push(
              `at ${write.at}: ${sessionId} is at step ${count} of ${history.facts.maxSteps}`,
            );
          if (set.stepId !== undefined && set.stepId !== row.stepId + 1)
            faults.push(
              `at ${write.at}: ${sessionId} went from step id ${row.stepId} to ${set.stepId}`,
            );
        }
      },
    });
    return faults;
  },
};
