import { PromptTranscript } from '../../messages/builders.ts';
import type { Message } from '../../messages/message.ts';
import type { MessageRow, SessionRef } from '../../store/rows.ts';
import type { SessionStore } from '../../store/session-store.ts';
import { RunMap } from './run-map.ts';

/** The messages of a session with what a model call needs of them, kept up message by message. */
export class SessionTranscript {
  readonly #messages: Message[] = [];
  readonly #prompt = new PromptTranscript();
  readonly #callIds = new Set<string>();
  #answers = 0;

  get messages(): readonly Message[] {
    return this.#messages;
  }

  /** Ids of all calls in it. */
  get callIds(): ReadonlySet<string> {
    return this.#callIds;
  }

  /** How often a model has answered. */
  get answers(): number {
    return this.#answers;
  }

  prompt(system: string): readonly Message[] {
    return this.#prompt.withSystem(system);
  }

  append(message: Message): void {
    this.#messages.push(message);
    this.#prompt.append(message);
    if (message.role !== 'assistant') return;
    this.#answers += 1;
    for (const call of message.toolCalls ?? []) this.#callIds.add(call.id);
  }
}

/** One claim of a session: what it cached is of no use to the next. */
interface ClaimedSession extends SessionRef {
  readonly epoch: number;
}

/** Runs may end in another process than the one that thought for them: the oldest make room. */
const CAPACITY = 1_000;

/**
 * Transcripts of running sessions, so that a step reads and converts only what is new. Messages never change once
 * written; within one claim of a session none is taken away. Forgotten when the run ends.
 */
export class TranscriptCache {
  readonly #transcripts = new RunMap<SessionTranscript>();

  /** The first `count` messages; at once when all of them are known. */
  read(
    store: SessionStore,
    run: ClaimedSession,
    count: number,
  ): SessionTranscript | Promise<SessionTranscript> {
    const known = this.#transcripts.get(run);
    return known?.messages.length === count ? known : this.#readNewer(store, run, count, known);
  }

  /** All messages of a session, as this claim has them. */
  begin(run: ClaimedSession, rows: readonly MessageRow[]): void {
    const transcript = new SessionTranscript();
    take(transcript, rows, Infinity);
    this.#keep(run, transcript);
  }

  /** Messages that a commit of this claim has added. */
  append(run: ClaimedSession, rows: readonly MessageRow[]): void {
    const transcript = this.#transcripts.get(run);
    if (transcript) take(transcript, rows, Infinity);
  }

  forget(run: ClaimedSession): void {
    this.#transcripts.delete(run);
  }

  async #readNewer(
    store: SessionStore,
    run: ClaimedSession,
    count: number,
    known: SessionTranscript | undefined,
  ): Promise<SessionTranscript> {
    const transcript = known && known.messages.length <= count ? known : new SessionTranscript();
    if (transcript.messages.length < count) {
      const newer = await store.readMessages(run, { after: transcript.messages.length });
      take(transcript, newer, count);
    }
    this.#keep(run, transcript);
    return transcript;
  }

  #keep(run: ClaimedSession, transcript: SessionTranscript): void {
    this.#transcripts.set(run, transcript);
    if (this.#transcripts.size > CAPACITY) this.#transcripts.deleteOldest();
  }
}

function take(transcript: SessionTranscript, rows: readonly MessageRow[], count: number): void {
  for (const { sequence, message } of rows) {
    if (sequence === transcript.messages.length + 1 && sequence <= count)
      transcript.append(message);
  }
}
