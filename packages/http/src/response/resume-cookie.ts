const COOKIE = 'helix-resume';
const COOKIE_MAX_AGE_SECONDS = 86_400;

/** How much of a chat a browser has received. */
export interface ResumePlace {
  readonly resumeFromSequence: number;
  readonly existingMessageId?: string;
}

/** A `Set-Cookie` value from which the next request of this browser continues. */
export function createResumeCookie(
  sessionId: string,
  intent: ResumePlace,
  options: { readonly secure?: boolean; readonly path?: string } = {},
): string {
  const value = `${intent.resumeFromSequence}.${encodeURIComponent(intent.existingMessageId ?? '')}`;
  const attributes = [`Path=${options.path ?? '/'}`, `Max-Age=${COOKIE_MAX_AGE_SECONDS}`];
  attributes.push('HttpOnly', 'SameSite=Lax', ...(options.secure ? ['Secure'] : []));
  return [`${cookieName(sessionId)}=${value}`, ...attributes].join('; ');
}

/** Deletes the cookie, once its turn is over. */
export function clearResumeCookie(
  sessionId: string,
  options: { readonly path?: string } = {},
): string {
  return `${cookieName(sessionId)}=; Path=${options.path ?? '/'}; Max-Age=0; HttpOnly; SameSite=Lax`;
}

/** Session ids may hold characters that cookie names may not. */
function cookieName(sessionId: string): string {
  return `${COOKIE}-${encodeURIComponent(sessionId).replaceAll(/[^\w.-]/g, '_')}`;
}

/** Reads the cookie of this session from a `Cookie` header; null if there is none. */
export function readResumeCookie(header: string, sessionId: string): ResumePlace | null {
  const name = `${cookieName(sessionId)}=`;
  const found = header.split(/; */).find((cookie) => cookie.startsWith(name));
  const match = /^(\d{1,15})\.(.*)$/.exec(found?.slice(name.length) ?? '');
  if (!match) return null;
  const [, sequence = '0', messageId = ''] = match;
  return {
    resumeFromSequence: Number(sequence),
    ...(messageId && { existingMessageId: safeDecode(messageId) }),
  };
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
