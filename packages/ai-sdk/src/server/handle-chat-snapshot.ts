import type { SessionRow } from '@helix-agents/core';
import { eventStream } from '@helix-agents/http';
import { RESUME_FROM_SEQUENCE } from '../ui/headers.ts';
import { beginSnapshot, type SnapshotInPieces } from './build-snapshot.ts';
import { readerLimits } from './chat-events.ts';
import { namedFor, type ChatDependencies } from './dependencies.ts';
import { chatError } from './error-response.ts';
import { resumeIfAnswered } from './resume-if-answered.ts';
import { messagesAsJson } from './message-pieces.ts';
import { Pieces } from './pieces.ts';
import { extractResumeIntent } from './resume-intent.ts';
import { readRoot } from './turn.ts';

/**
 * The snapshot as JSON, for pages that load it themselves. A run that has been answered elsewhere is resumed first, as on
 * `GET` of the stream. With the header `X-Resume-From-Sequence` a client that has everything up to that number is
 * answered 204: cheap enough to be asked often.
 */
export async function handleChatSnapshot(
  given: ChatDependencies,
  params: {
    readonly sessionId: string;
    readonly request?: Request;
    /** The session's row, where it was read for this request; null: there is none. */
    readonly session?: SessionRow | null;
    /** Who asks, on the log lines of this request, as `service`. */
    readonly serviceName?: string;
  },
): Promise<Response> {
  const deps = namedFor(given, params.serviceName);
  try {
    const { sessionId, request } = params;
    const session = await readRoot(deps, sessionId, params.session);
    const resumed = session !== null && (await resumeIfAnswered(deps, session));
    if (!resumed && request?.headers.has(RESUME_FROM_SEQUENCE)) {
      const { resumeFromSequence = 0 } = extractResumeIntent(request);
      const info = await deps.streamManager.getStreamInfo?.(sessionId);
      if (info && info.head <= resumeFromSequence) return new Response(null, { status: 204 });
    }
    const current = resumed ? await readRoot(deps, sessionId) : session;
    const snapshot = await beginSnapshot(deps, sessionId, current);
    return new Response(snapshotBody(deps, snapshot), {
      headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    });
  } catch (error) {
    return chatError(error, deps.logger);
  }
}

/** Written only as fast as it is read, so the memory per reader does not grow with the conversation. */
function snapshotBody(
  deps: ChatDependencies,
  snapshot: SnapshotInPieces,
): ReadableStream<Uint8Array> {
  const frames = snapshotFrames(snapshot);
  const { sessionId } = snapshot.fields;
  const close = (): void => {
    frames.return(undefined).catch(() => undefined);
    snapshot.close();
  };
  return eventStream(
    { frames, close },
    {
      ...readerLimits(deps),
      // No keep-alive comment can be sent inside of JSON.
      heartbeatMs: Infinity,
      retryMs: null,
      onHeartbeat: () => undefined,
      onStall: () => deps.logger?.warn('chat.reader_dropped', { sessionId }),
    },
  );
}

const encoder = new TextEncoder();

async function* snapshotFrames({
  fields,
  messages,
}: SnapshotInPieces): AsyncGenerator<Uint8Array, undefined> {
  const pieces = new Pieces();
  const opening = JSON.stringify(fields).slice(0, -1);
  yield* pieces.add(encoder.encode(`${opening},"messages":`));
  for await (const text of messagesAsJson(messages)) yield* pieces.add(encoder.encode(text));
  yield* pieces.add(encoder.encode('}'));
  yield* pieces.flush();
  return undefined;
}
