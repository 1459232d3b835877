import { PromptTranscript } from '../../messages/prompt-transcript.ts';
import type { Message } from '../../messages/message.ts';
import type { MessageRow, SessionRef } from '../../store/rows.ts';
import type { SessionStore } from '../../store/session-store.ts';
import type { Pins } from '../rows/pins.ts';
import { ownerKey } from './step-memory.ts';

/** The messages of a session with what a model call needs of them, kept up message by message. */
export class SessionTranscript {
  readonly #messages: Message[] = [];
  readonly #prompt = new PromptTranscript();
  readonly #callIds = new Set<string>();
  #answers = 0;
  /** What is pinned to the session, once it was read or written. */
  pins: Pins | null = null;

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

  /** Whether there is anything to answer. */
  get isEmpty(): boolean {
    return this.#prompt.isEmpty;
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

/** A run may end in another process than the one that thought for it: the oldest make room. */
const CAPACITY = 1_000;

/**
 * Transcripts of running sessions, so that a step reads and converts only what is new. Messages never change once
 * written; within one claim of a session none is taken away. Forgotten when the run ends.
 */
export class TranscriptCache {
  readonly #transcripts = new Map<string, SessionTranscript>();

  /** The first `count` messages. Those that are cached are not read again. */
  async read(store: SessionStore, run: ClaimedSession, count: number): Promise<SessionTranscript> {
    const cached = this.#transcripts.get(ownerKey(run));
    const transcript = cached && cached.messages.length <= count ? cached : new SessionTranscript();
    if (transcript.messages.length < count) {
      const newer = await store.readMessages(run, { after: transcript.messages.length });
      append(transcript, newer, count);
      this.#keep(run, transcript);
    }
    return transcript;
  }

  /** All messages of a session, as this claim has them. */
  begin(run: ClaimedSession, rows: readonly MessageRow[]): void {
    const transcript = new SessionTranscript();
    append(transcript, rows, Infinity);
    this.#keep(run, transcript);
  }

  /** Messages that a commit of this claim has added. */
  append(run: ClaimedSession, rows: readonly MessageRow[]): void {
    const transcript = this.#transcripts.get(ownerKey(run));
    if (transcript) append(transcript, rows, Infinity);
  }

  forget(run: ClaimedSession): void {
    this.#transcripts.delete(ownerKey(run));
  }

  #keep(run: ClaimedSession, transcript: SessionTranscript): void {
    this.#transcripts.set(ownerKey(run), transcript);
    if (this.#transcripts.size <= CAPACITY) return;
    for (const oldest of this.#transcripts.keys()) {
      this.#transcripts.delete(oldest);
      return;
    }
  }
}

/** Those that follow the transcript without a gap. */
function append(transcript: SessionTranscript, rows: readonly MessageRow[], count: number): void {
  for (const { sequence, message } of rows) {
    if (sequence === transcript.messages.length + 1 && sequence <= count)
      transcript.append(message);
  }
}
