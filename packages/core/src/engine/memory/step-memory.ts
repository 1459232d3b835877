import type { JournalRow, OpenCallRow, RunRow, SessionRow, UsageRow } from '../../store/rows.ts';
import type { StepRows } from '../../store/session-store.ts';
import type { StreamEntry } from '../../stream/stream-manager.ts';
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

/** What a claim made here hands on to its run. */
export interface Claimed {
  readonly record: RunRow;
  /** It has opened the stream. */
  readonly opened?: boolean;
  /** It has not waited for the disk: whoever is told of the run waits for that. */
  readonly relaxed?: boolean;
  /** What its commit made true, from the beginning of the run on. */
  readonly entries?: readonly StreamEntry[];
  /** Starts of `once` tools that it recorded: the run makes those attempts. */
  readonly attempts?: readonly string[] | undefined;
}

interface Kept {
  known: StepRows | null;
  unwritten: Unwritten | null;
  claimed: Claimed | null;
  attempts: Set<string> | null;
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

  /** A claim of a session that nobody ran was applied: the rows as they are after it. */
  claimed(run: OwnedRun, rows: StepRows, claimed: Claimed): void {
    this.learn(run, rows);
    const kept = this.#of(run);
    kept.claimed = claimed;
    kept.attempts = claimed.attempts ? new Set(claimed.attempts) : null;
  }

  /** The claim of the run, where it was made here. */
  claim(run: OwnedRun): Claimed | null {
    return this.#kept.get(run)?.claimed ?? null;
  }

  /** True once for an attempt that the claim has recorded: the caller makes it now. */
  makesAttempt(run: OwnedRun, attempt: string): boolean {
    return this.#kept.get(run)?.attempts?.delete(attempt) ?? false;
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
      kept = { known: null, unwritten: null, claimed: null, attempts: null, ended: null };
      this.#kept.set(run, kept);
    }
    return kept;
  }
}
