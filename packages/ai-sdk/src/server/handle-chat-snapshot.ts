import type { SessionRow } from '@helix-agents/core';
import { RESUME_FROM_SEQUENCE } from '../ui/headers.ts';
import { snapshotOf } from './build-snapshot.ts';
import { namedFor, type ChatDependencies } from './dependencies.ts';
import { chatError } from './error-response.ts';
import { resumeIfAnswered } from './resume-if-answered.ts';
import { extractResumeIntent } from './resume-intent.ts';
import { readRoot } from './turn.ts';

/**
 * The snapshot as JSON, for pages that load it themselves. Answers that were given elsewhere are taken up first, as on
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
    return Response.json(await snapshotOf(deps, sessionId, current), {
      headers: { 'cache-control': 'no-store' },
    });
  } catch (error) {
    return chatError(error, deps.logger);
  }
}
