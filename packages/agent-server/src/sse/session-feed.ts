import { publicStatus, type SessionRow, type StreamReader } from '@helix-agents/core';
import type { ServerParts } from '../parts.ts';
import type { StreamEnd, StreamTruncated } from '../wire.ts';
import type { ChunkEvent } from './chunk-events.ts';

export type FeedEvent =
  | ChunkEvent
  | { readonly type: 'truncated'; readonly data: StreamTruncated }
  | { readonly type: 'end'; readonly data: StreamEnd };

/** A session's stream: chunks after a number, then live, then how the session stands when nothing runs any more. */
export interface SessionFeed extends AsyncIterable<FeedEvent> {
  /** Ends the iteration without an `end`. */
  close(): void;
  /** Lets the store have the last word: a process that died after a commit did not announce it. */
  catchUp(): Promise<void>;
}

/** How soon a feed looks again when a run was claimed and its stream is not open yet. */
const REOPEN_MS = 50;

export function openFeed(parts: ServerParts, session: SessionRow, after: number): SessionFeed {
  const { sessionId, streamId } = session;
  const closed = new AbortController();
  let reader: StreamReader<ChunkEvent> | null = null;

  async function* read(): AsyncGenerator<FeedEvent, undefined> {
    let cursor = after;
    while (!closed.signal.aborted) {
      reader = await parts.openChunks(streamId, cursor);
      if (closed.signal.aborted) reader?.close();
      for await (const event of reader ?? []) {
        const { sequence } = event;
        if (sequence > cursor + 1) {
          yield { type: 'truncated', data: { after: cursor, firstAvailable: sequence } };
        }
        cursor = sequence;
        yield event;
      }
      if (closed.signal.aborted) return undefined;
      const end = await parts.together.end(`${cursor} ${sessionId}`, () =>
        endOf(parts, sessionId, cursor),
      );
      if (end) {
        yield { type: 'end', data: end };
        return undefined;
      }
      await pause(REOPEN_MS, closed.signal);
    }
    return undefined;
  }

  const feed: SessionFeed = {
    [Symbol.asyncIterator]: read,
    close() {
      closed.abort();
      reader?.close();
      parts.openFeeds.delete(feed);
    },
    async catchUp() {
      const isThere = await parts.together.catchUp(sessionId, () => catchUp(parts, session));
      // A run that did not know yet may have made the stream anew: its reader would wait for ever.
      if (!isThere) reader?.close();
    },
  };
  parts.openFeeds.add(feed);
  return feed;
}

/** Whether the session is still there. */
async function catchUp(parts: ServerParts, session: SessionRow): Promise<boolean> {
  const isThere = (await parts.store().sessions.readSession(session)) !== null;
  if (isThere) await announceWhatIsStored(parts, session);
  return isThere;
}

/** Brings the stream up to date with the store, where this server knows the agent. */
export async function announceWhatIsStored(parts: ServerParts, session: SessionRow): Promise<void> {
  const agent = parts.findAgent(session.agentType);
  if (agent) await parts.executor().getHandle(agent, session.sessionId);
}

/** Null while something runs, or came after what was read. */
async function endOf(
  parts: ServerParts,
  sessionId: string,
  sequence: number,
): Promise<StreamEnd | null> {
  const store = parts.store();
  const session = await store.sessions.readSession({ rootId: sessionId, sessionId });
  if (!session) return { sessionId, status: 'deleted', sequence };
  const { status, runId, streamId, output, error } = session;
  if (status === 'running') return null;
  const info = await parts.streams().getStreamInfo?.(streamId);
  if (info && info.head > sequence) return null;
  const { items } = await store.index.listOpenCalls({ rootSessionId: sessionId, limit: 1_000 });
  return {
    sessionId,
    status: publicStatus(status),
    runStatus: status,
    runId,
    ...(status === 'completed' && { output }),
    ...(error && { error }),
    ...(items.length > 0 && { toolCallIds: items.map((call) => call.toolCallId) }),
    sequence,
  };
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener('abort', done, { once: true });
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
  });
}
