import type { Message, SessionStateStore, ToolMessage } from '@helix-agents/core';

/** A stored message with the results of its calls, which come right after it. */
export interface TranscriptStep {
  readonly message: Message;
  /** From 0. */
  readonly position: number;
  readonly results: ReadonlyMap<string, ToolMessage>;
}

export interface TranscriptRange {
  /** Position of the first message; 0 by default. */
  readonly from?: number;
  /** Position after the last message; by default the number of messages when reading begins. */
  readonly to?: number;
}

/** The transcript step by step. Only one step is in memory at a time, besides small messages. */
export async function* transcriptSteps(
  stateStore: Pick<SessionStateStore, 'getMessages'>,
  sessionId: string,
  range: TranscriptRange = {},
): AsyncGenerator<TranscriptStep> {
  let step: (TranscriptStep & { readonly results: Map<string, ToolMessage> }) | null = null;
  let position = range.from ?? 0;
  for await (const message of storedMessages(stateStore, sessionId, range)) {
    if (message.role === 'tool') step?.results.set(message.toolCallId, message);
    else {
      if (step) yield step;
      step = { message, position, results: new Map() };
    }
    position += 1;
  }
  if (step) yield step;
}

/** Bytes of a page that are kept while it is consumed; messages beyond that are read again. */
const KEPT_BYTES = 65_536;
const MOST_AT_ONCE = 32;

async function* storedMessages(
  stateStore: Pick<SessionStateStore, 'getMessages'>,
  sessionId: string,
  { from = 0, to = Infinity }: TranscriptRange,
): AsyncGenerator<Message> {
  let end = to;
  let limit = 4;
  for (let offset = from; offset < end;) {
    const page = await stateStore.getMessages(sessionId, {
      offset,
      limit: Math.min(limit, end - offset),
    });
    if (offset === from) end = Math.min(end, page.total);
    const kept = firstBytes(page.messages, KEPT_BYTES);
    if (kept.length === 0) return;
    // Twice as many where all of them were small, otherwise about as many as fit.
    limit = kept.length < page.messages.length ? kept.length : Math.min(limit * 2, MOST_AT_ONCE);
    offset += kept.length;
    yield* kept;
  }
}

/** As many as fit, and one at least. */
function firstBytes(messages: readonly Message[], bytes: number): readonly Message[] {
  let left = bytes;
  const tooMany = messages.findIndex((message, place) => {
    left -= JSON.stringify(message).length;
    return left < 0 && place > 0;
  });
  return tooMany === -1 ? messages : messages.slice(0, tooMany);
}
