import { DefinitionError } from '@helix-agents/core';
import type { Authenticate, AuthenticateResult } from './authenticate.ts';

export interface SessionTokensOptions {
  /** At least 32 bytes each. The first signs, all are accepted: put a new one first, drop the old one a lifetime later. */
  readonly secret: string | readonly string[];
  /** How long a token is good for; 15 minutes by default. */
  readonly ttlMs?: number;
  readonly now?: () => number;
}

/** What a token says. */
export interface SessionClaims {
  readonly sessionId: string;
  /** Who holds it, where known: becomes `answeredBy`. */
  readonly id?: string;
  readonly expiresAt: number;
}

export interface IssuedToken {
  readonly token: string;
  readonly expiresAt: number;
}

/** Short-lived signed tokens, each good for one session. */
export interface SessionTokens {
  issue(session: {
    readonly sessionId: string;
    readonly id?: string;
    readonly ttlMs?: number;
  }): Promise<IssuedToken>;
  /** Null: not ours, changed, or too old. */
  verify(token: string): Promise<SessionClaims | null>;
  /**
   * A hook that takes `Authorization: Bearer <token>`. Requests without a valid token go to `otherwise`, which decides
   * who may start sessions; without it they are refused.
   */
  authenticator(otherwise?: Authenticate): Authenticate;
}

const DEFAULT_TTL_MS = 15 * 60_000;
const MIN_SECRET_BYTES = 32;
const VERSION = 'hs1';
const MAX_TOKEN_LENGTH = 4_096;

/**
 * @example
 * const tokens = createSessionTokens({ secret });
 * const { token } = await tokens.issue({ sessionId, id: user.id });
 */
export function createSessionTokens(options: SessionTokensOptions): SessionTokens {
  const { ttlMs = DEFAULT_TTL_MS, now = Date.now } = options;
  const secrets = typeof options.secret === 'string' ? [options.secret] : options.secret;
  if (secrets.length === 0 || secrets.some((one) => encode(one).length < MIN_SECRET_BYTES)) {
    throw new DefinitionError(`A secret needs at least ${MIN_SECRET_BYTES} bytes of randomness.`);
  }
  const keys = secrets.map(importKey);

  const issue: SessionTokens['issue'] = async ({ sessionId, id, ttlMs: own }) => {
    const expiresAt = now() + (own ?? ttlMs);
    const claims = { sid: sessionId, ...(id !== undefined && { sub: id }), exp: expiresAt };
    const signed = `${VERSION}.${toBase64Url(encode(JSON.stringify(claims)))}`;
    const key = await (keys[0] as Promise<Key>);
    const signature = await crypto.subtle.sign('HMAC', key, encode(signed));
    return { token: `${signed}.${toBase64Url(new Uint8Array(signature))}`, expiresAt };
  };

  const verify: SessionTokens['verify'] = async (token) => {
    const [version, payload, signature, ...rest] =
      token.length > MAX_TOKEN_LENGTH ? [] : token.split('.');
    if (version !== VERSION || !payload || !signature || rest.length > 0) return null;
    const bytes = fromBase64Url(signature);
    if (!bytes || !(await isSignedBy(keys, bytes, encode(`${version}.${payload}`)))) return null;
    const claims = readClaims(payload);
    return claims && claims.expiresAt > now() ? claims : null;
  };

  return {
    issue,
    verify,
    authenticator(otherwise) {
      return async (request, operation): Promise<AuthenticateResult> => {
        const token = /^Bearer +(\S+)$/i.exec(request.headers['authorization'] ?? '')?.[1];
        const claims = token === undefined ? null : await verify(token);
        if (claims) {
          const { sessionId, id } = claims;
          return { ok: true, principal: { sessionId, ...(id !== undefined && { id }) } };
        }
        if (otherwise) return otherwise(request, operation);
        return { error: token === undefined ? 'missing_token' : 'invalid_token', status: 401 };
      };
    },
  };
}

type Key = Awaited<ReturnType<typeof importKey>>;

async function importKey(secret: string) {
  const use = { name: 'HMAC', hash: 'SHA-256' };
  return crypto.subtle.importKey('raw', encode(secret), use, false, ['sign', 'verify']);
}

/** Compared by the platform, in constant time. */
async function isSignedBy(
  keys: readonly Promise<Key>[],
  signature: Uint8Array<ArrayBuffer>,
  text: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  for (const key of keys) {
    if (await crypto.subtle.verify('HMAC', await key, signature, text)) return true;
  }
  return false;
}

function readClaims(payload: string): SessionClaims | null {
  const bytes = fromBase64Url(payload);
  try {
    const { sid, sub, exp } = JSON.parse(new TextDecoder().decode(bytes ?? undefined));
    if (typeof sid !== 'string' || typeof exp !== 'number') return null;
    return { sessionId: sid, ...(typeof sub === 'string' && { id: sub }), expiresAt: exp };
  } catch {
    return null;
  }
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function toBase64Url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Null for anything that is not exactly what `toBase64Url` writes: a token has one spelling. */
function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[\w-]+$/.test(text)) return null;
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
    return toBase64Url(bytes) === text ? bytes : null;
  } catch {
    return null;
  }
}
