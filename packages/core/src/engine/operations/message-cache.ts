import type { MessageRow, SessionRef } from '../../store/rows.ts';
import type { SessionStore } from '../../store/session-store.ts';

/**
 * Messages of running sessions, so that a step fetches only what is new. Rows never change once written; after a
 * truncation (time travel) the entry is dropped. Forget a session when its run ends: nothing stays for a suspended one.
 */
export class MessageCache {
  readonly #entries = new Map<string, MessageRow[]>();

  /** The first `count` messages. */
  async read(store: SessionStore, ref: SessionRef, count: number): Promise<readonly MessageRow[]> {
    const known = this.#entries.get(ref.sessionId) ?? [];
    if (known.length > count) known.length = count;
    if (known.length < count) {
      const newer = await store.readMessages(ref, { after: known.length });
      for (const row of newer) {
        if (row.sequence === known.length + 1 && row.sequence <= count) known.push(row);
      }
    }
    this.#entries.set(ref.sessionId, known);
    return known.slice();
  }

  forget(sessionId: string): void {
    this.#entries.delete(sessionId);
  }
}
