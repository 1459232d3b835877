import type { JournalRow, OpenCallRow, RunRow, SessionRow, UsageRow } from '../../store/rows.ts';
import type { StepRows } from '../../store/session-store.ts';

/** One claim of a session. */
export interface OwnedRun {
  readonly sessionId: string;
  readonly epoch: number;
}

export function ownerKey({ sessionId, epoch }: OwnedRun): string {
  return `${epoch}:${sessionId}`;
}

/** Journal rows of one step that are not written yet, and their usage. Lists are replaced, never changed. */
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
  /** The commit carried the end of the run into the stream. */
  readonly isAnnounced?: boolean;
}

interface Kept {
  cached: StepRows | null;
  unwritten: Unwritten | null;
  record: RunRow | null;
  ended: EndedRun | null;
}

const NONE: readonly never[] = [];

/**
 * What the owner of a run keeps in its process between operations.
 *
 * Owns: a cache of the step's rows as the owner last read or wrote them; journal rows and usage that its next commit will
 * write; the run record that its claim wrote; the session as the commit that ended the run left it.
 * Does not own: anything durable. A crash loses all of it, and an operation without it reads the store.
 *
 * I1. Everything is kept by session and epoch: an owner never sees what a former one left.
 * I2. A step with children or a pending interrupt is never cached, because other processes write to it.
 * I3. Nothing is decided by the cache alone: every commit names the version, epoch, step and records it is based on. An owner
 *     invalidates the cache before it sends a commit, and after a record that was not applied.
 * I4. Unwritten rows are committed together. Those of another step than the one asked for are written: the reply was lost.
 */
export class StepMemory {
  readonly #runs = new Map<string, Kept>();

  /** The rows of the step; null when they have to be read. */
  cached(run: OwnedRun): StepRows | null {
    return this.#find(run)?.cached ?? null;
  }

  /** The rows as this owner has just read or written them. */
  cache(run: OwnedRun, rows: StepRows): void {
    const isOwn = rows.references.length === 0 && !rows.interrupt;
    this.#of(run).cached = isOwn ? rows : null;
  }

  /** The next operation reads: something may have changed the rows, or a write may not have been applied. */
  invalidate(run: OwnedRun): void {
    const kept = this.#find(run);
    if (kept) kept.cached = null;
  }

  /** A claim was applied: the rows of the step after it, where they are known, and the record of the run it began. */
  claimed(run: OwnedRun, rows: StepRows | null, record: RunRow | null): void {
    if (rows) this.cache(run, rows);
    if (record) this.#of(run).record = record;
  }

  /** The record of the run, where it was begun here. */
  record(run: OwnedRun): RunRow | null {
    return this.#find(run)?.record ?? null;
  }

  /** The step was committed and these are the rows of the next. */
  advance(run: OwnedRun, rows: StepRows): void {
    this.#of(run).unwritten = null;
    this.cache(run, rows);
  }

  /** A record of this owner was applied. */
  recorded(run: OwnedRun, row: JournalRow, calls: readonly OpenCallRow[] = []): void {
    const { cached } = this.#of(run);
    if (!cached) return;
    const session: SessionRow = { ...cached.session, records: cached.session.records + 1 };
    const journal = [...cached.journal, row];
    this.cache(run, { ...cached, session, journal, calls: [...cached.calls, ...calls] });
  }

  /** The commit that ends the run was applied: nothing of its step is left to write. */
  end(run: OwnedRun, ended: EndedRun): void {
    this.forget(run);
    this.#of(run).ended = ended;
  }

  ended(run: OwnedRun): EndedRun | null {
    return this.#find(run)?.ended ?? null;
  }

  /** Journal rows of the step that are not written yet (I4). */
  unwritten(run: OwnedRun, stepId: number): readonly JournalRow[] {
    return this.#unwritten(run, stepId)?.rows ?? NONE;
  }

  /** Their usage. */
  usage(run: OwnedRun, stepId: number): readonly UsageRow[] {
    return this.#unwritten(run, stepId)?.usage ?? NONE;
  }

  /** Keeps a row for the next commit. First wins, as in the journal. */
  add(run: OwnedRun, row: JournalRow, usage: readonly UsageRow[]): void {
    const kept = this.#of(run);
    const { rows, usage: before } = this.#unwritten(run, row.stepId) ?? { rows: NONE, usage: NONE };
    if (rows.some(({ index, kind }) => index === row.index && kind === row.kind)) return;
    kept.unwritten = { stepId: row.stepId, rows: [...rows, row], usage: [...before, ...usage] };
  }

  /** When the run ends. */
  forget(run: OwnedRun): void {
    this.#runs.delete(ownerKey(run));
  }

  #unwritten(run: OwnedRun, stepId: number): Unwritten | null {
    const unwritten = this.#find(run)?.unwritten;
    return unwritten?.stepId === stepId ? unwritten : null;
  }

  #find(run: OwnedRun): Kept | undefined {
    return this.#runs.get(ownerKey(run));
  }

  #of(run: OwnedRun): Kept {
    const kept = this.#find(run) ?? { cached: null, unwritten: null, record: null, ended: null };
    this.#runs.set(ownerKey(run), kept);
    return kept;
  }
}
