import { publicStatus, type SessionRow } from '@helix-agents/core';
import { rootRef } from '@helix-agents/core/store';
import { followStream, streamTails, type ChunkEvent } from '@helix-agents/http';
import type { ServerParts } from '../parts.ts';
import type { StreamEnd, StreamTruncated } from '../wire.ts';

export type FeedEvent =
  | ChunkEvent
  | { readonly type: 'truncated'; readonly data: StreamTruncated }
  | { readonly type: 'end'; readonly data: StreamEnd };

/** A session's stream: chunks after a number, then live, then how the session stands when nothing runs any more. */
export interface SessionFeed extends AsyncIterable<FeedEvent> {
  /** Ends the iteration without an `end`. */
  close(): void;
  /** Announces what the store holds and the stream does not: a process may have died between the two writes. */
  catchUp(): Promise<void>;
}

export function openFeed(parts: ServerParts, session: SessionRow, after: number): SessionFeed {
  const { sessionId, streamId } = session;
  const follower = followStream<ChunkEvent, StreamEnd>({
    open: streamTails(parts.streams()),
    streamId,
    after,
    endAt: (sequence) =>
      parts.together.end(`${sequence} ${sessionId}`, () => endOf(parts, sessionId, sequence)),
  });

  async function* read(): AsyncGenerator<FeedEvent, undefined> {
    let cursor = after;
    try {
      for (;;) {
        const { done, value } = await follower.items.next();
        if (done) {
          if (value) yield { type: 'end', data: value };
          return undefined;
        }
        const { sequence } = value;
        if (sequence > cursor + 1) {
          yield { type: 'truncated', data: { after: cursor, firstAvailable: sequence } };
        }
        cursor = sequence;
        yield value;
      }
    } finally {
      feed.close();
    }
  }

  const feed: SessionFeed = {
    [Symbol.asyncIterator]: read,
    close() {
      follower.close();
      parts.openFeeds.delete(feed);
    },
    async catchUp() {
      const isThere = await parts.together.catchUp(sessionId, () => catchUp(parts, session));
      // A run that had not noticed the deletion may have created the stream again, and its reader would wait for ever.
      if (!isThere) follower.reopen();
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
  const session = await store.sessions.readSession(rootRef(sessionId));
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
