import type { JournalRow, OpenCallRow, RunRow, SessionRow, UsageRow } from '../../store/rows.ts';
import type { StepRows } from '../../store/session-store.ts';
import { RunMap, type OwnedRun } from './run-map.ts';

/** Rows of one step that are not written yet, and what they have cost. Lists are replaced, never changed. */
interface Unwritten {
  readonly stepId: number;
  readonly rows: readonly JournalRow[];
  readonly usage: readonly UsageRow[];
}

/** A run as its own last commit left it. */
export interface EndedRun {
  readonly session: SessionRow;
  /** Those that wait for a person. */
  readonly openCalls: readonly OpenCallRow[];
  /** The stream says so: it was in the same commit. */
  readonly isSaid?: boolean;
}

interface Kept {
  known: StepRows | null;
  unwritten: Unwritten | null;
  record: RunRow | null;
  ended: EndedRun | null;
}

const NONE: readonly never[] = [];

/**
 * What the owner of a run keeps in its process between operations, lost in a crash: journal rows and usage that the next
 * commit will carry, and the rows of the step as it last read or wrote them. By epoch, so that a successor never sees
 * what a former owner left.
 */
export class StepMemory {
  readonly #kept = new RunMap<Kept>();

  /** The step as this owner knows it; null when it has to be read. */
  known(run: OwnedRun): StepRows | null {
    return this.#kept.get(run)?.known ?? null;
  }

  /** Steps with children or a stop are never known: others write to them. A human call's row only gets its answer. */
  learn(run: OwnedRun, rows: StepRows): void {
    const isOwn = rows.references.length === 0 && !rows.interrupt;
    this.#of(run).known = isOwn ? rows : null;
  }

  /** A claim was applied: the rows of the step after it, where they are known, and the record of the run it began. */
  claimed(run: OwnedRun, rows: StepRows | null, record: RunRow | null): void {
    if (rows) this.learn(run, rows);
    if (record) this.#of(run).record = record;
  }

  /** The record of the run, where it was begun here. */
  record(run: OwnedRun): RunRow | null {
    return this.#kept.get(run)?.record ?? null;
  }

  /** The step was committed and these are the rows of the next. */
  advance(run: OwnedRun, rows: StepRows): void {
    this.#of(run).unwritten = null;
    this.learn(run, rows);
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
    return this.#kept.get(run)?.ended ?? null;
  }

  /** Something went otherwise than expected: the next operation reads. */
  doubt(run: OwnedRun): void {
    const kept = this.#kept.get(run);
    if (kept) kept.known = null;
  }

  /** Journal rows of the step that are not written yet. Those of another step are: its commit was not heard of. */
  unwritten(run: OwnedRun, stepId: number): readonly JournalRow[] {
    return this.#unwritten(run, stepId)?.rows ?? NONE;
  }

  /** What those rows have cost. */
  usage(run: OwnedRun, stepId: number): readonly UsageRow[] {
    return this.#unwritten(run, stepId)?.usage ?? NONE;
  }

  /** First wins, like the journal in a store. */
  add(run: OwnedRun, row: JournalRow, usage: readonly UsageRow[]): void {
    const kept = this.#of(run);
    const { rows, usage: before } = this.#unwritten(run, row.stepId) ?? { rows: NONE, usage: NONE };
    if (rows.some(({ index, kind }) => index === row.index && kind === row.kind)) return;
    kept.unwritten = { stepId: row.stepId, rows: [...rows, row], usage: [...before, ...usage] };
  }

  /** When the run ends. */
  forget(run: OwnedRun): void {
    this.#kept.delete(run);
  }

  #unwritten(run: OwnedRun, stepId: number): Unwritten | null {
    const unwritten = this.#kept.get(run)?.unwritten;
    return unwritten?.stepId === stepId ? unwritten : null;
  }

  #of(run: OwnedRun): Kept {
    let kept = this.#kept.get(run);
    if (!kept) {
      kept = { known: null, unwritten: null, record: null, ended: null };
      this.#kept.set(run, kept);
    }
    return kept;
  }
}
