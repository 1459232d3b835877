import type { ChatTransport, UIMessage } from 'ai';
import { Connection, type ConnectionOptions } from './connection.ts';
import { installedMajor, type AiMajor } from './detect-major.ts';
import { streamUrl, type HelixReconnectRequestOptions } from './prepare-requests.ts';
import { BEGINNING, endOf } from './place.ts';

export interface HelixChatTransportOptions extends HelixReconnectRequestOptions, ConnectionOptions {
  /** Added to every posted body. */
  readonly body?: object | (() => object);
}

/** What the chat page needs beyond a transport of the AI SDK. */
export interface ResumableChatTransport<
  Message extends UIMessage = UIMessage,
> extends ChatTransport<Message> {
  /** A resumed stream begins with the message's first part. */
  readonly resumeStreamIsReplay: true;
  /** Number of the last chunk of the session's stream this page has seen. */
  readonly lastSequence: () => number | undefined;
  /** What a page was hydrated with holds everything up to this number. */
  readonly seen: (sequence: number) => void;
  /** What the page shows is not to be relied on: the next request does not say what it has. */
  readonly forget: () => void;
}

/**
 * Talks to `handleChatStream`. A lost connection is found again and goes on after the last event, so that the chat sees
 * one stream: no repeated part, no error, also when the server was restarted meanwhile.
 */
export function createHelixChatTransport<Message extends UIMessage = UIMessage>(
  options: HelixChatTransportOptions = {},
): ResumableChatTransport<Message> {
  return createTransport(options, installedMajor);
}

/** The same for a chat that can say itself which chunks it understands. */
export function createTransport<Message extends UIMessage>(
  options: HelixChatTransportOptions,
  detect: () => Promise<AiMajor>,
): ResumableChatTransport<Message> {
  const api = options.api ?? '/api/chat';
  let sequence = options.resumeFromSequence;
  const seen = (given: number): void => {
    sequence = Math.max(sequence ?? 0, given);
  };
  const major = async (): Promise<AiMajor> => options.aiSdk ?? detect();
  const connection = new Connection(api, options, { seen, major });
  return {
    resumeStreamIsReplay: true,
    lastSequence: () => sequence,
    seen,
    forget: () => {
      sequence = undefined;
    },
    async sendMessages({ chatId, messages, trigger, messageId, abortSignal, body, headers }) {
      const extra = typeof options.body === 'function' ? options.body() : options.body;
      const posted = {
        ...extra,
        ...body,
        id: chatId,
        messages: messages.slice(-1),
        trigger,
        messageId,
      };
      // A page that sends an answer has read the whole turn; a new message begins a message of its own.
      const answering = messages.at(-1)?.role === 'assistant';
      const cursor = answering ? { resumeFromSequence: sequence } : {};
      const send = async (): Promise<Response> =>
        connection.request(api, abortSignal, {
          method: 'POST',
          headers: {
            ...(await connection.headers(headers, cursor)),
            'content-type': 'application/json',
          },
          body: JSON.stringify(posted),
        });
      // Sending the same message twice adds it once, so a lost connection may be tried again.
      const response = await connection.retry(send, abortSignal);
      const from = answering ? endOf(sequence) : BEGINNING;
      return connection.follow(chatId, response, from, abortSignal);
    },
    async reconnectToStream({ chatId, headers, ...rest }) {
      const abortSignal = (rest as { abortSignal?: AbortSignal }).abortSignal;
      const cursor = sequence === undefined ? {} : { resumeFromSequence: sequence };
      const ask = async (): Promise<Response> =>
        connection.request(streamUrl(api, chatId), abortSignal, {
          headers: await connection.headers(headers, cursor),
        });
      const response = await connection.retry(ask, abortSignal);
      return response.status === 204
        ? null
        : connection.follow(chatId, response, BEGINNING, abortSignal);
    },
  };
}
