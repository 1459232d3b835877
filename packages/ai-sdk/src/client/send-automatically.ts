interface AnsweredPart {
  readonly type: string;
  readonly toolCallId?: string;
  readonly state?: string;
  readonly providerExecuted?: boolean;
  readonly preliminary?: boolean;
  readonly approval?: unknown;
  readonly output?: unknown;
  readonly errorText?: string;
}

interface AnsweredMessage {
  readonly id: string;
  readonly role: string;
  readonly parts: readonly object[];
}

/**
 * For `sendAutomaticallyWhen`: true as soon as a call of the last message has an answer that was not sent yet. Each
 * answer is sent once, also while other calls still wait; results that came from the server are never sent back.
 */
export function createHelixSendAutomaticallyWhen(): (options: {
  readonly messages: readonly AnsweredMessage[];
}) => boolean {
  const sent = new Set<string>();
  return ({ messages }) => {
    const last = messages.at(-1);
    if (last?.role !== 'assistant') return false;
    const parts = last.parts as readonly AnsweredPart[];
    const lastStep = parts.findLastIndex(({ type }) => type === 'step-start');
    const answers = parts.slice(lastStep + 1).filter(isUnsentAnswer);
    const news = answers.filter((part) => !sent.has(keyOf(part)));
    for (const part of news) sent.add(keyOf(part));
    return news.length > 0;
  };
}

function isUnsentAnswer(part: AnsweredPart): boolean {
  if (part.state === 'approval-responded') return true;
  if (part.toolCallId === undefined || part.providerExecuted || part.approval) return false;
  return part.state === 'output-error' || (part.state === 'output-available' && !part.preliminary);
}

/** A corrected answer counts as a new one. */
function keyOf({ toolCallId, state, output, errorText, approval }: AnsweredPart): string {
  return JSON.stringify([toolCallId, state, output, errorText, approval]);
}
