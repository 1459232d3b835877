import type { SessionRow, SubmitToolResult } from '@helix-agents/core';
import { AI_SDK_7, CAPABILITIES, SESSION_ID } from '../ui/headers.ts';
import { takeAnswers } from './answers.ts';
import { CHAT_STREAM_HEADERS, chatEvents, readerLimits } from './chat-events.ts';
import { readChatPost, toUserMessage, type ChatPost } from './chat-request.ts';
import { namedFor, type ChatDependencies } from './dependencies.ts';
import { chatError } from './error-response.ts';
import { FrontendHandlerError } from './frontend-handler-error.ts';
import { followTurn, type Starting } from './follow-turn.ts';
import { regenerate } from './regenerate.ts';
import { extractResumeIntent, type ResumeIntent } from './resume-intent.ts';
import { resumeIfAnswered } from './resume-if-answered.ts';
import { sendMessage } from './send-message.ts';
import { assertOwner, findTurn, readRoot, type ChatTurn } from './turn.ts';

export interface ChatStreamParams {
  /** Of the session. Default: the `id` of the posted body; needed on `GET`. */
  readonly sessionId?: string;
  /** Of the posted body, where the caller has read it. */
  readonly messages?: readonly unknown[];
  /** The whole posted body, parsed, where the caller has read it. Otherwise it is read from the request. */
  readonly body?: unknown;
  /** The session's row, where the caller has read it for this request; null: there is none. Otherwise it is read. */
  readonly session?: SessionRow | null;
  readonly request?: Request;
  /** Owner of sessions that begin with this request, and who its answers are from. Another's session is not found. */
  readonly userId?: string;
  /** Called before an answer in the message is stored; what it throws refuses the answer. `AgentServer` limits them so. */
  readonly checkAnswer?: (answer: SubmitToolResult) => Promise<void>;
  /** Largest result of an answer, as JSON; the executor's limit by default. */
  readonly maxResultBytes?: number;
  /** Whose sessions this request may write to: those of `userId` (default), or everybody's. */
  readonly access?: 'own' | 'all';
  /** Who asks, on the log lines of this request, as `service`. `AgentServer` says its own. */
  readonly serviceName?: string;
}

/**
 * Answers what `useChat` sends. `POST`: a new message, answers to calls, or a regeneration, each continued as one
 * assistant message. `GET`: that message from its beginning and then live; 204 when there is nothing to show.
 * A closed connection stops nothing; the agent goes on and the next request finds it.
 *
 * @example
 * export const POST = (request: Request) => handleChatStream({ executor, stateStore, streamManager, agent }, { request });
 */
export async function handleChatStream(
  given: ChatDependencies,
  params: ChatStreamParams,
): Promise<Response> {
  const deps = namedFor(given, params.serviceName);
  try {
    const method = params.request?.method ?? (params.messages?.length ? 'POST' : 'GET');
    if (method === 'POST') return await answerPost(deps, params);
    if (method === 'GET') return await answerGet(deps, params);
    throw new FrontendHandlerError(
      'METHOD_NOT_ALLOWED',
      405,
      'Use POST to send, GET to reconnect.',
    );
  } catch (error) {
    return chatError(error, deps.logger);
  }
}

async function answerPost(deps: ChatDependencies, params: ChatStreamParams): Promise<Response> {
  const post = await readChatPost(params, deps.maxBodyBytes);
  const { request, userId, access, session } = params;
  const intent = request ? extractResumeIntent(request, post.sessionId) : null;
  const { role } = post.last;
  if (role === 'system' || (role === 'assistant' && post.trigger === 'regenerate-message')) {
    throw new FrontendHandlerError('INVALID_REQUEST', 400, `The last message is of the ${role}.`);
  }
  if (role === 'assistant') return continueTurn(deps, params, post, intent);
  const { sessionId } = post;
  const sent = { sessionId, message: toUserMessage(post.last), userId, access, session };
  const begin = post.trigger === 'regenerate-message' ? regenerate : sendMessage;
  return streamTurn(deps, params, await begin(deps, sent), { from: 'beginning' });
}

/** The last message is the assistant's, with answers in it: they are stored, and the run goes on. */
async function continueTurn(
  deps: ChatDependencies,
  params: ChatStreamParams,
  post: ChatPost,
  intent: ResumeIntent | null,
): Promise<Response> {
  const asked = await readRoot(deps, post.sessionId, params.session);
  if (!asked) throw notFound(post.sessionId);
  assertOwner(asked, params);
  const seen = intent?.source === 'header' ? intent.resumeFromSequence : undefined;
  const { userId: answeredBy, checkAnswer, maxResultBytes } = params;
  const answers = await takeAnswers(deps, post, { answeredBy, seen, checkAnswer, maxResultBytes });
  // Read after the answers were stored: what it waited for may have come with them.
  const session = await readRoot(deps, post.sessionId);
  if (!session) throw notFound(post.sessionId);
  if (session.status === 'interrupted' && answers.count === 0) {
    await deps.executor.resume(deps.agent, post.sessionId, { ifRunning: 'attach' });
  } else {
    await resumeIfAnswered(deps, session);
  }
  const turn = await findTurn(deps, session);
  if (!turn) throw notFound(post.sessionId);
  const messageId = post.last.id ?? turn.messageId;
  return streamTurn(deps, params, turn, { from: 'copy', copy: answers.copy }, messageId);
}

async function answerGet(deps: ChatDependencies, params: ChatStreamParams): Promise<Response> {
  const { sessionId, request } = params;
  if (!sessionId) throw new FrontendHandlerError('INVALID_REQUEST', 400, 'Give the session id.');
  const intent: ResumeIntent = request
    ? extractResumeIntent(request, sessionId)
    : { source: 'none' };
  const session = await readRoot(deps, sessionId, params.session);
  const turn = session && (await findTurn(deps, session));
  if (!session || !turn) return nothingToShow(sessionId);
  const running = (await resumeIfAnswered(deps, session)) || session.status === 'running';
  if (intent.position) {
    return streamTurn(deps, params, turn, { from: 'position', after: intent.position });
  }
  if (!running && (await hasAll(deps, turn, intent))) return nothingToShow(sessionId);
  return streamTurn(deps, params, turn, { from: 'beginning' }, intent.existingMessageId);
}

/** A cookie only says where the browser once was: a page of it may have nothing. */
async function hasAll(
  { streamManager }: ChatDependencies,
  { streamId }: ChatTurn,
  { source, resumeFromSequence }: ResumeIntent,
): Promise<boolean> {
  if (source !== 'header' || resumeFromSequence === undefined) return false;
  const info = await streamManager.getStreamInfo?.(streamId);
  return (info?.head ?? 0) <= resumeFromSequence;
}

/** No such session, or the client has all of it: never an error, a page may ask at any time. */
function nothingToShow(sessionId: string): Response {
  return new Response(null, {
    status: 204,
    headers: { [SESSION_ID]: encodeURIComponent(sessionId) },
  });
}

function streamTurn(
  deps: ChatDependencies,
  { request }: ChatStreamParams,
  turn: ChatTurn,
  starting: Starting,
  messageId: string = turn.messageId,
): Response {
  const later = (request?.headers.get(CAPABILITIES) ?? '').split(/[ ,]+/).includes(AI_SDK_7);
  const left = new AbortController();
  const frames = followTurn(deps, turn, { starting, messageId, later, signal: left.signal });
  const body = chatEvents(
    frames,
    readerLimits(deps),
    () => left.abort(),
    () => deps.logger?.warn('chat.reader_dropped', { sessionId: turn.sessionId }),
  );
  return new Response(body, {
    headers: { ...CHAT_STREAM_HEADERS, [SESSION_ID]: encodeURIComponent(turn.sessionId) },
  });
}

function notFound(sessionId: string): FrontendHandlerError {
  return new FrontendHandlerError('NOT_FOUND', 404, `There is no chat ${sessionId}.`);
}
