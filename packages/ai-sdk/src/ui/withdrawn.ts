/** The error of a call that was withdrawn while a client showed it. */
export const WITHDRAWN_CALL = 'Withdrawn: the model was asked again.';

/** The same for a call whose input was being written when the model was stopped. */
export const STOPPED_CALL = 'Withdrawn: the model was stopped.';

/** Follows the text of a model that was stopped in the middle of it. */
export const STOPPED_TEXT = 'data-stopped';

/** Withdraws all text of its step before it. Sent to clients that cannot remove parts. */
export const WITHDRAWN_TEXT = 'data-withdrawn';

interface Shown {
  readonly role: string;
  readonly parts: readonly object[];
}

interface ShownPart {
  readonly type: string;
  readonly errorText?: string;
}

/**
 * The messages without what the agent withdrew: text and calls of an answer that broke off and was repeated, and calls that
 * were cut off when the model was stopped.
 * `useHelixChat` does this by itself; a page of `ai` 6 on plain `useChat` shows its messages through it. Messages that
 * hold nothing of the kind are returned as they are, so that nothing is rendered anew.
 */
export function withoutWithdrawn<Message extends Shown>(messages: Message[]): Message[] {
  const cleaned = messages.map((message) => {
    const parts = keptParts(message.parts as readonly ShownPart[]);
    return parts.length === message.parts.length ? message : { ...message, parts };
  });
  return cleaned.every((message, index) => message === messages[index]) ? messages : cleaned;
}

function keptParts(parts: readonly ShownPart[]): readonly ShownPart[] {
  let withdrawn = false;
  const kept: ShownPart[] = [];
  for (const part of parts.toReversed()) {
    if (part.type === WITHDRAWN_TEXT) withdrawn = true;
    else if (part.type === 'step-start') withdrawn = false;
    if (!(withdrawn && isText(part)) && !isWithdrawnCall(part)) kept.push(part);
  }
  return kept.toReversed();
}

/** A call that was never made. */
export function isWithdrawnCall({ errorText }: Pick<ShownPart, 'errorText'>): boolean {
  return errorText === WITHDRAWN_CALL || errorText === STOPPED_CALL;
}

const TEXT: ReadonlySet<string> = new Set(['text', 'reasoning', STOPPED_TEXT, WITHDRAWN_TEXT]);

function isText({ type }: ShownPart): boolean {
  return TEXT.has(type);
}
