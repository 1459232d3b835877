import type { ChunkType, StreamChunk } from '../../stream/chunks.ts';
import type { StepView } from '../rows/step-view.ts';
import type { Announcer } from './announcer.ts';

/** Chunks of one read, and how many reads are made at most before the tail is taken to say nothing of a session. */
const PAGE = 64;
const PAGES = 4;

/** Chunks that only the owner of a step writes, while it works on the step or commits it. */
const OF_A_STEP: ReadonlySet<ChunkType> = new Set([
  'text_delta',
  'thinking',
  'tool_arg_stream_start',
  'tool_arg_stream_delta',
  'tool_start',
  'tool_end',
  'subagent_start',
  'state_patch',
  'step_committed',
]);

/** What the part of a stream that was read shows of one session. */
interface ShownSession {
  /** The oldest step with a chunk. */
  oldest: number;
  /** Steps with a `step_committed`. */
  readonly committed: Set<number>;
}

/**
 * The end of a stream, read backwards, page by page and only as far as it is asked.
 *
 * Owns: the answer to "which committed steps may be missing in the stream?". One tail serves all sessions of a tree.
 * Does not own: what is announced for those steps (`unannounced-chunks.ts`).
 *
 * I1. The chunks of a session are written in the order of its steps: a process writes them in order, and the owner that takes over
 *     announces what is missing before it goes on. So a chunk of a step shows that the steps before it were announced.
 * I2. A step that shows chunks and no `step_committed` may be missing, and so may all that follow it.
 * I3. Nothing is known of a session without chunks among the last `PAGE * PAGES`: all its steps may be missing.
 */
export class StreamTail {
  readonly #announcer: Pick<Announcer, 'readBefore'>;
  readonly #streamId: string;
  readonly #sessions = new Map<string, ShownSession>();
  /** Sequence of the oldest chunk that was read; null before the first read. */
  #oldest: number | null = null;
  #pages = 0;

  constructor(announcer: Pick<Announcer, 'readBefore'>, streamId: string) {
    this.#announcer = announcer;
    this.#streamId = streamId;
  }

  /** The first step of the session that may not be announced; its step in progress when all before it are. */
  async firstUnannounced({
    session,
    references,
  }: Pick<StepView, 'session' | 'references'>): Promise<number> {
    const { sessionId, stepId } = session;
    if (stepId === 1) return stepId;
    const children = references.filter((row) => row.stepId === stepId);
    // A child works for the step in progress: its chunks come after those of the steps before (I1).
    const childIsShown = (): boolean =>
      children.some(({ subSessionId }) => this.#sessions.has(subSessionId));
    const isEnough = (): boolean =>
      (this.#sessions.get(sessionId)?.oldest ?? stepId) < stepId || childIsShown();
    while (!isEnough() && (await this.#readPage()));
    const shown = this.#sessions.get(sessionId);
    if (!shown) return childIsShown() ? stepId : 1;
    for (let step = shown.oldest; step < stepId; step += 1)
      if (!shown.committed.has(step)) return step;
    return stepId;
  }

  /** False: there is nothing more to read. */
  async #readPage(): Promise<boolean> {
    if (this.#pages === PAGES || this.#oldest === 1) return false;
    this.#pages += 1;
    const page = await this.#announcer.readBefore(this.#streamId, this.#oldest, PAGE);
    const first = page[0]?.sequence;
    if (first === undefined || first === this.#oldest) return false;
    this.#oldest = first;
    for (const { chunk } of page) this.#note(chunk);
    return true;
  }

  #note({ type, agentId, step }: StreamChunk): void {
    if (!OF_A_STEP.has(type)) return;
    const shown = this.#sessions.get(agentId) ?? { oldest: step, committed: new Set<number>() };
    this.#sessions.set(agentId, shown);
    shown.oldest = Math.min(shown.oldest, step);
    if (type === 'step_committed') shown.committed.add(step);
  }
}
