import type { StreamEntry } from '../../stream/stream-manager.ts';
import type { Announcer } from './announcer.ts';
import type { Clock } from '../clock.ts';

const FLUSH_MS = 25;
const FLUSH_ENTRIES = 64;
const NOTHING_WRITTEN: Promise<void> = Promise.resolve();

/**
 * Collects the deltas of one model call and writes them in small batches, in order. Neighbouring text deltas of one
 * batch are joined. `mayStream` is asked before each write, so that an owner whose lease is over writes nothing.
 */
export class ChunkBatcher {
  readonly #announcer: Announcer;
  readonly #clock: Clock;
  readonly #streamId: string;
  readonly #mayStream: () => Promise<boolean>;
  #pending: StreamEntry[] = [];
  #writing: Promise<void> = NOTHING_WRITTEN;
  #cancelTimer: (() => void) | null = null;
  #wrote = false;

  constructor(
    announcer: Announcer,
    clock: Clock,
    streamId: string,
    mayStream: () => Promise<boolean> = async () => true,
  ) {
    this.#announcer = announcer;
    this.#clock = clock;
    this.#streamId = streamId;
    this.#mayStream = mayStream;
  }

  /** Whether anything was added since the last reset. */
  get wrote(): boolean {
    return this.#wrote;
  }

  add(entry: StreamEntry): void {
    this.#wrote = true;
    const last = this.#pending.at(-1);
    const joined = last && joinDeltas(last, entry);
    if (joined) this.#pending[this.#pending.length - 1] = joined;
    else this.#pending.push(entry);
    if (this.#pending.length >= FLUSH_ENTRIES) this.#write();
    else this.#cancelTimer ??= this.#clock.setTimer(FLUSH_MS, () => this.#write());
  }

  flush(): Promise<void> {
    this.#write();
    return this.#writing;
  }

  /** Drops deltas that are not written yet. */
  drop(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    this.#pending = [];
  }

  reset(): void {
    this.#wrote = false;
  }

  #write(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    const entries = this.#pending;
    if (entries.length === 0) return;
    this.#pending = [];
    this.#writing = this.#writing.then(async () => {
      // Asked as late as possible: another write to the stream may take longer than the lease.
      await this.#announcer.idle(this.#streamId);
      if (await this.#mayStream()) await this.#announcer.stream(this.#streamId, entries);
    });
  }
}

/** Two text deltas of the same speaker become one. */
function joinDeltas(last: StreamEntry, next: StreamEntry): StreamEntry | null {
  if (last.chunk.type !== 'text_delta' || next.chunk.type !== 'text_delta') return null;
  if (last.chunk.agentId !== next.chunk.agentId || last.chunk.step !== next.chunk.step) return null;
  return { chunk: { ...last.chunk, delta: last.chunk.delta + next.chunk.delta } };
}
