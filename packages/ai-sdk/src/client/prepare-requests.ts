import {
  AI_SDK_7,
  CAPABILITIES,
  EXISTING_MESSAGE_ID,
  RESUME_FROM_SEQUENCE,
} from '../ui/headers.ts';

export interface HelixReconnectRequestOptions {
  readonly api?: string;
  /** From the snapshot that the page was loaded with. */
  readonly resumeFromSequence?: number | undefined;
  readonly existingMessageId?: string | undefined;
  /**
   * The major version of `ai` in this page: with 7, decisions and withdrawals of text arrive live. The hooks and
   * `createHelixChatTransport` detect it; for a transport of your own it is 6 unless you set it.
   */
  readonly aiSdk?: 6 | 7;
}

/**
 * As for a reconnect. `resumeFromSequence` and `existingMessageId` are not sent with a POST: the posted message shows what
 * the page has, and the snapshot that the page was loaded with is older than that.
 */
export type HelixChatRequestOptions = HelixReconnectRequestOptions;

interface ChatRequest {
  readonly id: string;
  readonly messages: readonly unknown[];
  readonly trigger: string;
  readonly messageId: string | undefined;
  readonly api: string;
  readonly body?: object | undefined;
  readonly headers?: HeadersInit | undefined;
}

/**
 * For `prepareSendMessagesRequest` of `DefaultChatTransport`: sends the last message only, because the transcript is
 * the server's.
 */
export function prepareHelixChatRequest(
  options: HelixChatRequestOptions = {},
): (request: ChatRequest) => { api: string; headers: Record<string, string>; body: object } {
  return ({ id, messages, trigger, messageId, api, body, headers }) => ({
    api: options.api ?? api,
    headers: helixHeaders({ ...(options.aiSdk && { aiSdk: options.aiSdk }) }, headers),
    body: { ...body, id, messages: messages.slice(-1), trigger, messageId },
  });
}

/** For `prepareReconnectToStreamRequest` of `DefaultChatTransport`: `GET {api}/{id}/stream`. */
export function prepareHelixReconnectRequest(
  options: HelixReconnectRequestOptions = {},
): (request: {
  readonly id: string;
  readonly api: string;
  readonly headers?: HeadersInit | undefined;
}) => { api: string; headers: Record<string, string> } {
  return ({ id, api, headers }) => ({
    api: streamUrl(options.api ?? api, id),
    headers: helixHeaders(options, headers),
  });
}

export function streamUrl(api: string, sessionId: string): string {
  return `${api}/${encodeURIComponent(sessionId)}/stream`;
}

export function helixHeaders(
  { resumeFromSequence, existingMessageId, aiSdk }: HelixReconnectRequestOptions,
  given?: HeadersInit,
): Record<string, string> {
  const headers: Record<string, string> = {};
  new Headers(given).forEach((value, name) => {
    headers[name] = value;
  });
  if (resumeFromSequence !== undefined) headers[RESUME_FROM_SEQUENCE] = String(resumeFromSequence);
  if (existingMessageId !== undefined) headers[EXISTING_MESSAGE_ID] = existingMessageId;
  if (aiSdk === 7) headers[CAPABILITIES] = AI_SDK_7;
  return headers;
}
