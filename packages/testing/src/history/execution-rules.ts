import type { JsonValue } from '@helix-agents/core';
import {
  appliedCommits,
  callName,
  canonical,
  editOf,
  groupBy,
  knownCalls,
  readOf,
  sameJson,
  sessionsOf,
  takenAnswers,
  toolMessages,
  type Rule,
} from './support.ts';
import type { History, ToolStart } from './types.ts';

/** A tool runs with what was shown; a gated one after its approval, with that or the person's edit, or not at all. */
export const gatedToolsWereApproved: Rule = {
  id: 'A1',
  check(history) {
    const calls = knownCalls(history);
    const approvals = takenAnswers(history).filter(({ input }) => input.outcome === 'approved');
    return history.executions.flatMap((start) => {
      const call = calls.get(callName(start.sessionId, start.callId))?.call;
      if (!call)
        return history.facts.durability === 'step' ? [] : [`${nameOf(start)} ran without a plan`];
      const planned = readOf(call.input, call.parsed);
      if (call.class !== 'approval')
        return sameJson(planned, start.input) ? [] : [ranWith(start, planned)];
      const approval = approvals.find(
        ({ row, at }) =>
          at < start.at &&
          row?.toolCallId === start.callId &&
          row.ownerSessionId === start.sessionId,
      );
      if (!approval) return [`${nameOf(start)} ran at ${start.at} without an approval`];
      const row = approval.row ?? { input: planned, rawInput: null };
      const input = editOf(row, approval.input.answer)?.read ?? row.input;
      return sameJson(input, start.input) ? [] : [ranWith(start, input)];
    });
  },
};

function ranWith(start: ToolStart, shown: JsonValue): string {
  return `${nameOf(start)} ran with ${canonical(start.input)}, shown was ${canonical(shown)}`;
}

/** A `once` tool starts at most once; a tool that succeeded did run. */
export const onceMeansOnce: Rule = {
  id: 'A2',
  check(history) {
    const calls = knownCalls(history);
    const starts = groupBy(history.executions, nameOf);
    const twice = [...starts].flatMap(([name, all]) =>
      calls.get(name)?.call.execution === 'once' && all.length > 1
        ? [`${name} is a once tool and started ${all.length} times`]
        : [],
    );
    const never = [...calls].flatMap(([name, { sessionId, call }]) => {
      if (
        !history.facts.tools[call.toolName] ||
        call.class === 'client' ||
        call.class === 'settled'
      )
        return [];
      const owner = sessionsOf(history.end).find(({ session }) => session.sessionId === sessionId);
      const [message] = toolMessages(owner?.messages ?? [], call.callId);
      return message?.success && !starts.has(name) ? [`${name} succeeded without running`] : [];
    });
    return [...twice, ...never];
  },
};

/** An owner starts no tool whose result is recorded, and starts one again only after a crash or a fault. */
export const recordedResultsStand: Rule = {
  id: 'A3',
  check(history) {
    const recorded = resultRecords(history);
    const claims = claimsBySession(history);
    return [...groupBy(history.executions, nameOf)].flatMap(([name, starts]) => {
      const at = recorded.get(name) ?? Infinity;
      const first = starts[0] as ToolStart;
      const claimed = claims.get(first.sessionId) ?? [];
      const late = starts.filter((start) => start.at > at);
      const byOwner = late.filter((start) => isOwner(claimed, start));
      // Each owner may have begun it once; a store that failed makes an owner begin again.
      const owners = claimed.filter((claim) => claim.at < (starts.at(-1)?.at ?? 0)).length;
      const faults = history.faults.filter((fault) => fault.kind.startsWith('store-')).length;
      const allowed =
        owners +
        faults * STARTS_PER_FAULT +
        (history.facts.databases === 'apart' ? starts.length : 0);
      return [
        ...byOwner.map(
          (start) =>
            `${name} was started at ${start.at} by its owner, its result stands since ${at}`,
        ),
        ...(starts.length > allowed
          ? [`${name} was started ${starts.length} times by ${owners} owners`]
          : []),
      ];
    });
  },
};

/** Attempts at one operation before a run is given up. */
const STARTS_PER_FAULT = 2;

interface Claim {
  readonly at: number;
  readonly process: string;
  /** Null: the epoch was raised to end the run. */
  readonly runId: string | null;
}

/**
 * Whether the process surely owned the session when the tool began. A process that took over its own run, or whose run
 * was stopped, may still carry out the one call it had decided on.
 */
function isOwner(claims: readonly Claim[], start: ToolStart): boolean {
  const current = claims.findLast((claim) => claim.at < start.at);
  const mine = claims.filter(
    (claim) => claim.process === start.process && claim.runId === start.runId,
  );
  return mine.length === 1 && mine[0] === current;
}

function claimsBySession(history: History): Map<string, Claim[]> {
  const claims = new Map<string, Claim[]>();
  const running = new Map<string, string>();
  for (const { at, process, plan } of appliedCommits(history)) {
    const raised = [
      ...(plan.sessions ?? []).flatMap(({ sessionId, set }) =>
        set?.epoch === undefined ? [] : [{ sessionId, ...set }],
      ),
      ...(plan.insert?.sessions ?? []),
    ];
    for (const { sessionId, status, runId } of raised) {
      if (runId !== undefined) running.set(sessionId, runId);
      const owned = status === 'running' ? (running.get(sessionId) ?? null) : null;
      claims.set(sessionId, [...(claims.get(sessionId) ?? []), { at, process, runId: owned }]);
    }
  }
  return claims;
}

/** When the result of each call was first recorded, in the journal or as a message. */
function resultRecords(history: History): Map<string, number> {
  const records = new Map<string, number>();
  const names = new Map(
    [...knownCalls(history)].map(([name, { sessionId, stepId, call }]) => [
      canonical([sessionId, stepId, call.index]),
      name,
    ]),
  );
  const note = (name: string | undefined, at: number): void => {
    if (name !== undefined && !records.has(name)) records.set(name, at);
  };
  for (const { at, plan } of appliedCommits(history)) {
    for (const row of plan.insert?.journal ?? []) {
      if (row.kind === 'result')
        note(names.get(canonical([row.sessionId, row.stepId, row.index])), at);
    }
    for (const { sessionId, message } of plan.insert?.messages ?? []) {
      if (message.role === 'tool') note(callName(sessionId, message.toolCallId), at);
    }
  }
  return records;
}

function nameOf(start: ToolStart): string {
  return callName(start.sessionId, start.callId);
}
