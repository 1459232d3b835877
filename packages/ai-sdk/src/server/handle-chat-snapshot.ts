import { RESUME_FROM_SEQUENCE } from '../ui/headers.ts';
import { buildSnapshot } from './build-snapshot.ts';
import type { ChatDependencies } from './dependencies.ts';
import { errorResponse } from './error-response.ts';
import { resumeIfAnswered } from './resume-if-answered.ts';
import { extractResumeIntent } from './resume-intent.ts';
import { loadRoot } from './turn.ts';

/**
 * The snapshot as JSON, for pages that load it themselves. Answers that were given elsewhere are taken up first, as on
 * `GET` of the stream. With the header `X-Resume-From-Sequence` a client that has everything up to that number is
 * answered 204: cheap enough to be asked often.
 */
export async function handleChatSnapshot(
  deps: ChatDependencies,
  params: { readonly sessionId: string; readonly request?: Request },
): Promise<Response> {
  try {
    const { sessionId, request } = params;
    const state = await loadRoot(deps, sessionId);
    const resumed = state !== null && (await resumeIfAnswered(deps, state));
    if (!resumed && request?.headers.has(RESUME_FROM_SEQUENCE)) {
      const { resumeFromSequence = 0 } = extractResumeIntent(request);
      const info = await deps.streamManager.getStreamInfo?.(sessionId);
      if (info && info.head <= resumeFromSequence) return new Response(null, { status: 204 });
    }
    return Response.json(await buildSnapshot(deps, sessionId), {
      headers: { 'cache-control': 'no-store' },
    });
  } catch (error) {
    return errorResponse(error, deps.logger);
  }
}
