import type {
  AgentConfig,
  AgentExecutor,
  AnyLogger,
  SessionRow,
  StateStore,
  StreamManager,
  SubmitToolResult,
  SubmitToolResultSchema,
} from '@helix-agents/core';
import type { Authenticate, Principal } from './auth/authenticate.ts';
import type { SessionTokens } from './auth/session-tokens.ts';
import type { CorsOptions } from './http/cors.ts';
import type { RateLimitOptions } from './http/rate-limit.ts';

/** What a chat handler is asked: a turn (`POST`), or to attach to what is going on (`GET`). */
export interface ChatParams {
  readonly sessionId: string;
  /** Of the body, as they came: a client may send anything. Empty on `GET`. */
  readonly messages: readonly unknown[];
  /** The whole body, parsed: nothing has to be read from `request` again. Undefined on `GET`. */
  readonly body: unknown;
  /** The session's row, where the server has read it to check the owner; null: there is none yet. */
  readonly session?: SessionRow | null;
  /** Method, address and headers of the request, and the bytes of its body. */
  readonly request: Request;
  /** Who sends it, where the authenticate hook said so. */
  readonly principal?: Principal;
  readonly userId?: string;
  /** To be called before an answer in a message is stored: refuses it by the server's schema and rate limit. */
  readonly checkAnswer?: (answer: SubmitToolResult) => Promise<void>;
  /** Largest result of an answer, as the submit routes have it. */
  readonly maxResultBytes?: number;
  /** `all`: it may write to sessions of others than `userId`. */
  readonly access?: 'own' | 'all';
  /** Of the server, where it has one: on what is logged about this request. */
  readonly serviceName?: string;
}

/** Answers the chat routes: `(params) => handleChatStream(parts, params)` of `@helix-agents/ai-sdk`, or one of your own. */
export type ChatHandler = (params: ChatParams) => Response | Promise<Response>;

export interface SseOptions {
  /** A comment is sent when nothing else was for this long, so that proxies keep the connection; 15,000 by default. */
  readonly heartbeatMs?: number;
  /** At most this much waits in memory for one reader; 65,536 by default. */
  readonly bufferBytes?: number;
  /** A reader that takes nothing for this long is dropped; 30,000 by default. */
  readonly stallMs?: number;
}

/** One choice is required: `authenticate`, or `allowUnauthenticated: true`. What else a route needs and is missing, it answers 501. */
export interface AgentServerConfig {
  /** Agents that `/start` may start, by type. No two different ones have the same name. */
  readonly agents?: { readonly [agentType: string]: AgentConfig };
  readonly executor?: AgentExecutor;
  readonly stateStore?: StateStore;
  readonly streamManager?: StreamManager;
  readonly chatHandler?: ChatHandler;
  /** Answers `GET /chat/{id}/snapshot`: `(params) => handleChatSnapshot(parts, params)` of `@helix-agents/ai-sdk`. */
  readonly chatSnapshot?: ChatHandler;
  /**
   * Makes a `Set-Cookie` that tells the chat handler where a browser was when it answered a call over the chat route. By
   * default the one that `extractResumeIntent` of `@helix-agents/ai-sdk` reads; false: none is set.
   */
  readonly resumeCookie?:
    | false
    | ((
        sessionId: string,
        at: { readonly resumeFromSequence: number },
        /** `secure` where the request came over TLS. */
        options: { readonly secure: boolean },
      ) => string);

  /** Decides about every request before anything is read or run. */
  readonly authenticate?: Authenticate;
  /** Anybody may do anything: only behind a proxy that authenticates. */
  readonly allowUnauthenticated?: boolean;
  /**
   * Asks the hook before a body is read: nothing of strangers is held. `body` is undefined then, and `sessionId` what the
   * path or the query names; return a `principal`, and what it may touch is checked after. False by default.
   */
  readonly authenticateBeforeBody?: boolean;
  /** A hook that takes longer refuses; 10,000 by default. */
  readonly authenticateTimeoutMs?: number;
  /** Adds a token of the new session to what `/start` answers. */
  readonly sessionTokens?: SessionTokens;

  readonly logger?: AnyLogger;
  /** On every log line of this server and of the calls that come through it, as `service`. */
  readonly serviceName?: string;

  /** Shape and limits of submissions: made by `createSubmitToolResultSchema`. */
  readonly submitToolResultSchema?: SubmitToolResultSchema;
  /** Adds the validator's own issues to a 400. False by default. */
  readonly verboseValidationErrors?: boolean;
  /** Largest body of any request; four times the schema's `maxResultBytes` by default, and always for submissions. */
  readonly maxBodyBytes?: number;
  /**
   * What bodies take together until their senders were let in, values that were parsed of them included; 33,554,432 by
   * default. Beyond it a request is answered 503, unless its body is the only one.
   */
  readonly maxBodyBytesInFlight?: number;
  /** A body that takes longer to arrive is given up; 30,000 by default. */
  readonly bodyTimeoutMs?: number;
  /** Of submissions by session, and of starts by who starts them. False: none. */
  readonly rateLimit?: RateLimitOptions | false;
  readonly cors?: CorsOptions;
  /** Believes the `X-Forwarded-Proto` of a proxy in front, which must set it itself. False by default. */
  readonly trustProxy?: boolean;
  readonly sse?: SseOptions;

  /** For tests: the clock of tokens and limits. */
  readonly now?: () => number;
  /** Ids of sessions this server issues; random by default. */
  readonly newId?: () => string;
}
