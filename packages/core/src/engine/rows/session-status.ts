import type { LoopRun } from '../../loop/host.ts';
import type { SessionRow } from '../../store/rows.ts';

/** Whether the run still owns its session: running, same epoch. */
export function owns(session: SessionRow, run: LoopRun): boolean {
  return session.epoch === run.epoch && session.status === 'running';
}

export function isSuspended(session: Pick<SessionRow, 'status'>): boolean {
  return session.status.startsWith('suspended_');
}

export function isTerminal(session: Pick<SessionRow, 'status'>): boolean {
  return session.status === 'completed' || session.status === 'failed';
}

/**
 * A running session that may be taken over: its row has a lease, or was given back. Whether the lease is over is decided by the
 * store's clock in the takeover itself; the clock of this process may differ.
 */
export function ownerMayBeDead({ status, leaseUntil, started }: SessionRow): boolean {
  return status === 'running' && (leaseUntil !== null || !started);
}

/** Whether the owner is dead by the clock of this process. */
export function ownerIsDead(session: SessionRow, now: number): boolean {
  if (session.status !== 'running') return false;
  return session.leaseUntil === null ? !session.started : session.leaseUntil <= now;
}
