import { errorMessage, type Logger } from '@helix-agents/core';
import { HttpRefusal, unavailable } from '@helix-agents/http';

/** What a request wants to do. */
export type Operation =
  | 'start'
  | 'resume'
  | 'sse'
  | 'status'
  | 'interrupt'
  | 'abort'
  | 'submit-tool-result'
  | 'list-sessions'
  | 'get-session'
  | 'list-open-calls'
  | 'openapi'
  | 'chat'
  | 'chat-stream'
  | 'chat-snapshot';

/**
 * A request as the hook sees it. Its body was read within the limits, unless `authenticateBeforeBody` is set; nothing was
 * looked up for it.
 */
export interface AuthenticateRequest {
  readonly method: string;
  /** Below the server's prefix, such as `/start`. */
  readonly path: string;
  /** By lower-case name. */
  readonly headers: { readonly [name: string]: string | undefined };
  readonly query: { readonly [name: string]: string | undefined };
  /** Parsed JSON; undefined when there is none, or it is not JSON. */
  readonly body: unknown;
  /** The session that the route will use, of path, body or query; undefined where it uses none. */
  readonly sessionId: string | undefined;
  readonly operation: Operation;
  /** Method, address and headers as a web request, without the body. */
  readonly request: Request;
}

/** Who sends a request, and what it may touch. */
export interface Principal {
  /** Stored with the sessions it starts (`userId`) and the answers it gives (`answeredBy`). */
  readonly id?: string;
  /** The one session it may touch. */
  readonly sessionId?: string;
  /** With an `id`: its own sessions (default), or everybody's, for reviewers and operators. */
  readonly access?: 'own' | 'all';
  /** Another server of yours, which knows who answered: its `answeredBy` is kept with the answer, after its own id. */
  readonly answersFor?: boolean;
}

export type AuthenticateResult =
  /** `true`: the hook has looked at the session itself. It may touch the one it names, and see no listing of others. */
  | boolean
  /** A principal that is a text is the `id` of a person. */
  | { readonly ok: true; readonly principal?: Principal | string }
  | { readonly ok: false; readonly error?: string; readonly status?: number }
  | { readonly ok?: undefined; readonly error: string; readonly status?: number };

/** Anything but a clear yes refuses: a throw, a timeout, a value of another shape. */
export type Authenticate = (
  request: AuthenticateRequest,
  operation: Operation,
) => AuthenticateResult | Promise<AuthenticateResult>;

/** An authenticated caller. */
export interface Caller {
  readonly principal: Principal;
  /** The hook allowed this request without saying who sent it. */
  readonly isUnnamed: boolean;
}

/** Asks the hook. Returns who it is, or throws the refusal. */
export async function askHook(
  hook: Authenticate,
  request: AuthenticateRequest,
  timeoutMs: number,
  logger: Logger,
): Promise<Caller> {
  const { operation } = request;
  let result: unknown;
  try {
    result = await within(timeoutMs, async () => hook(request, operation));
  } catch (error) {
    logger.error('server.authenticate_failed', { operation, error: errorMessage(error) });
    throw unavailable('Who sent this could not be checked; send the request again.');
  }
  if (result === true) return UNNAMED;
  if (!isObject(result)) throw refusal();
  if (result['ok'] === true) {
    const principal = toPrincipal(result['principal']);
    if (principal === undefined) return UNNAMED;
    if (isPrincipal(principal)) return { principal, isUnnamed: false };
    logger.error('server.authenticate_failed', {
      operation,
      error: 'the principal has neither id, sessionId nor access',
    });
    throw refusal();
  }
  throw refusal(result['error'], result['status']);
}

const UNNAMED: Caller = { principal: { access: 'all' }, isUnnamed: true };

function refusal(error?: unknown, status?: unknown): HttpRefusal {
  const isRefusal =
    typeof status === 'number' && Number.isInteger(status) && status >= 400 && status < 600;
  const code = status === 403 ? 'FORBIDDEN' : 'UNAUTHENTICATED';
  const text = typeof error === 'string' && error !== '' ? error : 'unauthenticated';
  return new HttpRefusal(isRefusal ? status : 401, { error: text, code });
}

function toPrincipal(value: unknown): unknown {
  return typeof value === 'string' ? { id: value } : value;
}

function isPrincipal(value: unknown): value is Principal {
  if (!isObject(value)) return false;
  const { id, sessionId, access, answersFor } = value;
  if (answersFor !== undefined && typeof answersFor !== 'boolean') return false;
  if (![id, sessionId].every((one) => one === undefined || isName(one))) return false;
  if (access !== undefined && access !== 'own' && access !== 'all') return false;
  return id !== undefined || sessionId !== undefined || access === 'all';
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null;
}

async function within<T>(timeoutMs: number, work: () => Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error(`authenticate took more than ${timeoutMs} ms`)),
      timeoutMs,
    );
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}
