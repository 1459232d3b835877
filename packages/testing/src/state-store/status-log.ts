import type { SessionStateStore, SessionStatus } from '@helix-agents/core';
import type { CompareAndSetResult } from '@helix-agents/core/state-store';

/** One `compareAndSetStatus`, with the time before it was called and after it answered. */
export interface StatusOperation {
  readonly start: number;
  readonly end: number;
  readonly expected: readonly SessionStatus[];
  readonly expectedVersion?: number;
  readonly next: SessionStatus;
  readonly result: CompareAndSetResult;
}

const STATUSES: readonly SessionStatus[] = ['active', 'interrupted', 'completed', 'failed'];

/** Moves a status about at random, one operation after the other. `now` never goes back and is shared by all workers. */
export async function moveStatusAtRandom(
  store: SessionStateStore,
  sessionId: string,
  options: {
    readonly times: number;
    readonly now: () => number;
    /** From 0 to below 1. */
    readonly random: () => number;
  },
): Promise<StatusOperation[]> {
  const { times, now, random } = options;
  const log: StatusOperation[] = [];
  const pick = (): SessionStatus => STATUSES[Math.floor(random() * STATUSES.length)] ?? 'active';
  let known = 1;
  for (let count = 0; count < times; count += 1) {
    const expected = [...new Set([pick(), pick()])];
    const next = pick();
    const expectedVersion = random() < 0.3 ? { expectedVersion: known } : {};
    const start = now();
    const result = await store.compareAndSetStatus(sessionId, expected, next, expectedVersion);
    log.push({ start, end: now(), expected, next, result, ...expectedVersion });
    known = versionSeen(result);
  }
  return log;
}

/**
 * What is wrong with a log of concurrent operations on one session; null when they could have happened one by one, in
 * an order that respects their times. Versions give that order away, so one pass is enough.
 */
export function findStatusLogFault(
  log: readonly StatusOperation[],
  first: { readonly version: number; readonly status: SessionStatus },
): string | null {
  const statuses = new Map([[first.version, first.status]]);
  for (const { result, next } of log) {
    if (!result.ok) continue;
    if (statuses.has(result.newVersion)) return `version ${result.newVersion} was given twice`;
    statuses.set(result.newVersion, next);
  }
  for (const operation of log) {
    const fault = faultOf(operation, statuses);
    if (fault) return `${fault}: ${JSON.stringify(operation)}`;
  }
  return findBackwardsStep(log);
}

function faultOf(
  { expected, expectedVersion, result }: StatusOperation,
  statuses: ReadonlyMap<number, SessionStatus>,
): string | null {
  const version = result.ok ? result.newVersion - 1 : result.currentVersion;
  const status = statuses.get(version);
  if (status === undefined) return `version ${version} never was`;
  const fits =
    expected.includes(status) && (expectedVersion === undefined || expectedVersion === version);
  if (result.ok) return fits ? null : `accepted over ${status} at version ${version}`;
  if (result.currentStatus !== status) return `was told a status version ${version} never had`;
  return fits ? `refused although ${status} was expected` : null;
}

/** An operation that begins after another has ended may not see less than that one did. */
function findBackwardsStep(log: readonly StatusOperation[]): string | null {
  const byStart = log.toSorted((a, b) => a.start - b.start);
  const byEnd = log.toSorted((a, b) => a.end - b.end);
  let ended = 0;
  let floor = 0;
  for (const operation of byStart) {
    for (let one = byEnd[ended]; one && one.end < operation.start; one = byEnd[ended]) {
      floor = Math.max(floor, versionSeen(one.result));
      ended += 1;
    }
    const { result } = operation;
    const before = result.ok ? result.newVersion - 1 : result.currentVersion;
    if (before < floor) return `went back behind version ${floor}: ${JSON.stringify(operation)}`;
  }
  return null;
}

function versionSeen(result: CompareAndSetResult): number {
  return result.ok ? result.newVersion : result.currentVersion;
}
