import { missedGuard } from './guards.ts';
import { replayWrites } from './replay.ts';
import {
  appliedCommits,
  canonical,
  groupBy,
  isTerminal,
  recordedPlans,
  sessionsOf,
  toolMessages,
  type Rule,
} from './support.ts';
import type { History, DumpedTree } from './types.ts';

/** A store applies what its guards allow and refuses the rest; one commit wins each version. */
export const refusalsAreJustified: Rule = {
  id: 'C1',
  check(history) {
    const faults: string[] = [];
    const winners = new Map<string, number>();
    replayWrites(history, {
      before(write, rows) {
        if (write.kind !== 'commit') return;
        const { plan, applied, at, database } = write;
        const missed = missedGuard(rows, database, plan);
        if (applied && missed) faults.push(`at ${at}: applied although ${missed}`);
        if (!applied && !missed)
          faults.push(`at ${at}: refused for no reason: ${canonical(plan.guard)}`);
        if (!applied) return;
        for (const { sessionId, raise } of plan.sessions ?? []) {
          if (!raise?.version) continue;
          const version = `${sessionId}@${rows.sessions.get(sessionId)?.version}`;
          winners.set(version, (winners.get(version) ?? 0) + 1);
        }
      },
    });
    for (const [version, count] of winners)
      if (count > 1) faults.push(`${version} was left ${count} times`);
    return faults;
  },
};

/** A session is created once. */
export const createdOnce: Rule = {
  id: 'C2',
  check(history) {
    const created = appliedCommits(history).flatMap(({ plan }) => plan.insert?.sessions ?? []);
    return [...groupBy(created, (row) => row.sessionId)].flatMap(([sessionId, rows]) =>
      rows.length > 1 ? [`${sessionId} was created ${rows.length} times`] : [],
    );
  },
};

/** One child per call; its end is recorded once above it; none runs on below an ended parent. */
export const childrenBelongToTheirParents: Rule = {
  id: 'T1',
  check: (history) =>
    [history.rest, history.end].flatMap((dump) => dump.trees.flatMap((tree) => childFaults(tree))),
};

function childFaults({ sessions }: DumpedTree): string[] {
  const faults: string[] = [];
  const byId = new Map(sessions.map((dump) => [dump.session.sessionId, dump]));
  for (const { session, references, messages, journal } of sessions) {
    const places = groupBy(references, (row) => `${row.stepId}.${row.index}`);
    for (const [place, all] of places)
      if (all.length > 1)
        faults.push(`${session.sessionId} has ${all.length} children for call ${place}`);
    for (const row of references) {
      const child = byId.get(row.subSessionId)?.session;
      const results =
        toolMessages(messages, row.parentToolCallId).length +
        journal.filter(
          (entry) =>
            entry.kind === 'result' && entry.index === row.index && entry.stepId === row.stepId,
        ).length;
      if (row.state !== 'live' && results !== 1)
        faults.push(`${row.subSessionId} is ${row.state}, its parent has ${results} results`);
      if (row.state === 'closed' && child && !isTerminal(child.status))
        faults.push(`${row.subSessionId} is ${child.status}, its reference is closed`);
      if (isTerminal(session.status) && row.state === 'live')
        faults.push(`${session.sessionId} has ended with a live child ${row.subSessionId}`);
    }
  }
  return faults;
}

/** An interrupt stops the run it names, soon, and no other. */
export const interruptsHitTheirRun: Rule = {
  id: 'I1',
  check: (history) => [...interruptedForNothing(history), ...ranOn(history)],
};

function interruptedForNothing(history: History): string[] {
  const stopped = new Set(
    history.writes.flatMap((write) =>
      write.kind === 'interrupt' && write.row ? [write.row.runId] : [],
    ),
  );
  const runs = sessionsOf(history.end).flatMap((dump) => dump.runs);
  return runs
    .filter((run) => run.status === 'interrupted' && !stopped.has(run.runId))
    .map((run) => `run ${run.runId} was interrupted, nobody had asked for it`);
}

/** After the request at most the step that was being decided is begun. */
function ranOn(history: History): string[] {
  const acknowledged = history.client.flatMap(({ request, outcome, until }) =>
    request.kind === 'interrupt' &&
    outcome.kind === 'ok' &&
    outcome.status !== 'too_late' &&
    outcome.runId
      ? [{ runId: outcome.runId, status: outcome.status, at: until ?? Infinity }]
      : [],
  );
  const runs = new Map(
    sessionsOf(history.end).flatMap((dump) => dump.runs.map((run) => [run.runId, run])),
  );
  const plans = recordedPlans(history);
  return acknowledged.flatMap(({ runId, at, status }) => {
    const run = runs.get(runId);
    if (!run || run.status === 'running') return [`run ${runId} was interrupted and goes on`];
    const later = plans.filter(
      (plan) => plan.at > at && runAt(history, plan.sessionId, plan.at) === runId,
    );
    const allowed = status === 'requested' ? 1 : 0;
    return later.length > allowed
      ? [`run ${runId} took ${later.length} steps after its interrupt`]
      : [];
  });
}

function runAt(history: History, sessionId: string, at: number): string | undefined {
  let runId: string | undefined;
  for (const commit of appliedCommits(history)) {
    if (commit.at >= at) break;
    for (const run of commit.plan.insert?.runs ?? [])
      if (run.sessionId === sessionId) runId = run.runId;
  }
  return runId;
}

/** After the last fault everything comes to an end. */
export const everythingEnds: Rule = {
  id: 'L1',
  check: (history) => [
    ...history.stuck,
    ...history.rest.trees.flatMap(runningAtRest),
    ...sessionsOf(history.end)
      .filter(({ session }) => !isTerminal(session.status))
      .map(({ session }) => `${session.sessionId} is ${session.status} at the end`),
  ],
};

/**
 * No session runs when all is at rest. A child whose owner died may stand still below a session that is interrupted, or that failed by
 * itself and waits for its parent: it is taken up or closed with that one.
 */
function runningAtRest({ sessions }: DumpedTree): string[] {
  const stopped = sessions
    .filter(({ session }) => session.status === 'interrupted' || session.error !== null)
    .map(({ session }) => `${session.sessionId}-sub-`);
  return sessions
    .filter(({ session }) => session.status === 'running')
    .filter(({ session }) => !stopped.some((prefix) => session.sessionId.startsWith(prefix)))
    .map(({ session }) => `${session.sessionId} is running at rest`);
}

/** Nothing of one tree appears in another. */
export const treesDoNotMix: Rule = {
  id: 'X3',
  check: (history) => {
    const { canaries } = history.facts;
    const parts: readonly (readonly [string, unknown])[] = [
      ...history.end.trees.map((tree) => [tree.rootId, tree] as const),
      ...history.streams.map((stream) => [stream.streamId, stream.chunks] as const),
    ];
    return parts.flatMap(([rootId, part]) => {
      const text = JSON.stringify(part);
      return Object.entries(canaries).flatMap(([other, canary]) =>
        other !== rootId && text.includes(canary) ? [`text of ${other} appears in ${rootId}`] : [],
      );
    });
  },
};
