import type { JournalRow, OpenCallRow, RunRow, SessionRow, UsageRow } from '../../store/rows.ts';
import type { StepRows } from '../../store/session-store.ts';

/** The run of a session that an owner keeps something for. */
export interface OwnedRun {
  readonly sessionId: string;
  readonly epoch: number;
}

/** A run as its own last commit left it. */
export interface EndedRun {
  readonly session: SessionRow;
  /** Those that wait for a person. */
  readonly openCalls: readonly OpenCallRow[];
}

interface Kept {
  known: StepRows | null;
  unwritten: { row: JournalRow; usage: readonly UsageRow[] }[];
  record: RunRow | null;
  ended: EndedRun | null;
}

/**
 * What the owner of a run keeps in its process between operations, lost in a crash: journal rows and usage that the next
 * commit will carry, and the rows of the step as it last read or wrote them. By epoch, so that a successor never sees
 * what a former owner left.
 */
export class StepMemory {
  readonly #kept = new Map<string, Kept>();

  /** The step as this owner knows it; null when it has to be read. */
  known(run: OwnedRun): StepRows | null {
    return this.#kept.get(key(run))?.known ?? null;
  }

  /** Steps with children or a stop are never known: others write to them. A human call's row only gets its answer. */
  learn(run: OwnedRun, rows: StepRows): void {
    const isOwn = rows.references.length === 0 && !rows.interrupt;
    this.#of(run).known = isOwn ? rows : null;
  }

  /** A claim of a session that nobody ran was applied: the rows as they are after it, and its run. */
  claimed(run: OwnedRun, rows: StepRows, record: RunRow): void {
    this.learn(run, rows);
    this.#of(run).record = record;
  }

  /** The record of the run, where its claim was made here. */
  record(run: OwnedRun): RunRow | null {
    return this.#kept.get(key(run))?.record ?? null;
  }

  /** A record of this owner was applied. */
  recorded(run: OwnedRun, row: JournalRow, calls: readonly OpenCallRow[] = []): void {
    const { known } = this.#of(run);
    if (!known) return;
    const session: SessionRow = { ...known.session, records: known.session.records + 1 };
    const journal = [...known.journal, row];
    this.learn(run, { ...known, session, journal, calls: [...known.calls, ...calls] });
  }

  /** The commit that ends the run was applied: nothing of its step is left to write. */
  end(run: OwnedRun, ended: EndedRun): void {
    this.forget(run);
    this.#of(run).ended = ended;
  }

  ended(run: OwnedRun): EndedRun | null {
    return this.#kept.get(key(run))?.ended ?? null;
  }

  /** Something went otherwise than expected: the next operation reads. */
  doubt(run: OwnedRun): void {
    const kept = this.#kept.get(key(run));
    if (kept) kept.known = null;
  }

  /** Journal rows of the step that are not written yet. Those of another step are: its commit was not heard of. */
  unwritten(run: OwnedRun, stepId: number): readonly JournalRow[] {
    return this.#unwritten(run).flatMap(({ row }) => (row.stepId === stepId ? [row] : []));
  }

  /** What those rows have cost. */
  usage(run: OwnedRun, stepId: number): readonly UsageRow[] {
    return this.#unwritten(run).flatMap(({ row, usage }) => (row.stepId === stepId ? usage : []));
  }

  /** First wins, like the journal in a store. */
  add(run: OwnedRun, row: JournalRow, usage: readonly UsageRow[]): void {
    const { unwritten } = this.#of(run);
    const isKnown = unwritten.some(
      ({ row: other }) =>
        other.stepId === row.stepId && other.index === row.index && other.kind === row.kind,
    );
    if (!isKnown) unwritten.push({ row, usage });
  }

  /** After the step was committed, or when the run ends. */
  forget(run: OwnedRun): void {
    this.#kept.delete(key(run));
  }

  #unwritten(run: OwnedRun): Kept['unwritten'] {
    return this.#kept.get(key(run))?.unwritten ?? [];
  }

  #of(run: OwnedRun): Kept {
    const known = this.#kept.get(key(run));
    if (known) return known;
    const kept: Kept = { known: null, unwritten: [], record: null, ended: null };
    this.#kept.set(key(run), kept);
    return kept;
  }
}

function key(run: OwnedRun): string {
  return `${run.epoch}:${run.sessionId}`;
}
