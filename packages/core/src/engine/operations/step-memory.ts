import type { JournalRow, UsageRow } from '../../store/rows.ts';

/**
 * The journal of steps that run with `durability: 'step'`: kept in the process until settle commits the step, lost in a
 * crash. Keyed by session and epoch, so that a successor never sees what a former owner left.
 */
export class StepMemory {
  readonly #rows = new Map<string, JournalRow[]>();
  readonly #usage = new Map<string, UsageRow[]>();

  read(sessionId: string, epoch: number, stepId: number): readonly JournalRow[] {
    return (this.#rows.get(key(sessionId, epoch)) ?? []).filter((row) => row.stepId === stepId);
  }

  /** First wins, like the journal in a store. */
  add(epoch: number, row: JournalRow): void {
    const rows = this.#rows.get(key(row.sessionId, epoch)) ?? [];
    const known = rows.some(
      (other) =>
        other.stepId === row.stepId && other.index === row.index && other.kind === row.kind,
    );
    if (!known) rows.push(row);
    this.#rows.set(key(row.sessionId, epoch), rows);
  }

  addUsage(sessionId: string, epoch: number, rows: readonly UsageRow[]): void {
    const known = this.#usage.get(key(sessionId, epoch)) ?? [];
    this.#usage.set(key(sessionId, epoch), [...known, ...rows]);
  }

  usage(sessionId: string, epoch: number): readonly UsageRow[] {
    return this.#usage.get(key(sessionId, epoch)) ?? [];
  }

  /** After the step was committed, or when the run ends. */
  forget(sessionId: string, epoch: number): void {
    this.#rows.delete(key(sessionId, epoch));
    this.#usage.delete(key(sessionId, epoch));
  }
}

function key(sessionId: string, epoch: number): string {
  return `${epoch}:${sessionId}`;
}
