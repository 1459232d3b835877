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

/** A request to a chat handler: a turn (`POST`), or to attach to the turn in progress (`GET`). */
export interface ChatParams {
  readonly sessionId: string;
  /** The messages of the body, not validated: a client may send anything. Empty on `GET`. */
  readonly messages: readonly unknown[];
  /** The whole body, parsed: nothing has to be read from `request` again. Undefined on `GET`. */
  readonly body: unknown;
  /** The session's row, if the server has read it to check the owner; null: the session does not exist yet. */
  readonly session?: SessionRow | null;
  /** Method, address and headers of the request, and the bytes of its body. */
  readonly request: Request;
  /** The caller, if the authenticate hook named one. */
  readonly principal?: Principal;
  readonly userId?: string;
  /** Call it before an answer in a message is stored: it throws if the server's schema or rate limit refuses the answer. */
  readonly checkAnswer?: (answer: SubmitToolResult) => Promise<void>;
  /** Largest result of an answer, as the submit routes have it. */
  readonly maxResultBytes?: number;
  /** `all`: the caller may also write to sessions of other users than `userId`. */
  readonly access?: 'own' | 'all';
  /** The server's `serviceName`, if it has one, for log lines about this request. */
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

/** Either `authenticate` or `allowUnauthenticated: true` is required. A route that needs any other missing part replies 501. */
export interface AgentServerConfig {
  /** Agents that `/start` may start, by type. Two different agents must not have the same name. */
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
  /** Every caller may do everything: use it only behind a proxy that authenticates. */
  readonly allowUnauthenticated?: boolean;
  /**
   * Calls the hook before the body is read, so that the body of a refused caller is never held in memory. `body` is undefined
   * then, and `sessionId` is the one in the path or the query. Return a `principal`: its access to the session that the body
   * names is checked afterwards. False by default.
   */
  readonly authenticateBeforeBody?: boolean;
  /** If the hook takes longer, the request is refused; 10,000 by default. */
  readonly authenticateTimeoutMs?: number;
  /** Adds a token for the new session to the reply of `/start`. */
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
   * Memory for the bodies of all requests that are not authenticated yet, including the values parsed from them; 33,554,432
   * by default. Beyond it a request gets a 503, unless its body is the only one.
   */
  readonly maxBodyBytesInFlight?: number;
  /** A body that takes longer to arrive is given up; 30,000 by default. */
  readonly bodyTimeoutMs?: number;
  /** Limits submissions per session, and starts per caller. False: no limits. */
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
