import { RemoteReplyError, RemoteUnreachableError } from '../errors/remote-errors.ts';
import { StreamChunkSchema } from '../stream/chunk-schema.ts';
import { utf8Length } from '../util/to-json-value.ts';
import type { RemoteEvent } from './remote-agent-transport.ts';
import type { RemoteLimits } from './remote-limits.ts';

export interface EventsRequest {
  readonly sessionId: string;
  /** Chunks up to this number are not wanted. */
  readonly after: number;
  readonly limits: RemoteLimits;
}

/**
 * A session's server-sent events, each chunk once and in order. Ends after `end`; a body that ends without one, or is silent
 * for too long, is a broken connection.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  request: EventsRequest,
): AsyncGenerator<RemoteEvent, undefined> {
  let cursor = request.after;
  for await (const block of readBlocks(body, request.limits)) {
    const event = toEvent(block, request);
    if (!event) continue;
    if (event.type === 'end') {
      yield event;
      return undefined;
    }
    if (event.sequence <= cursor) continue;
    cursor = event.sequence;
    yield event;
  }
  throw new RemoteUnreachableError(
    `The stream of ${request.sessionId} ended after chunk ${cursor} without an end.`,
  );
}

/** The text between blank lines. */
async function* readBlocks(
  body: ReadableStream<Uint8Array>,
  { replyBytes, silentMs }: RemoteLimits,
): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await unlessSilent(reader, silentMs);
      if (done) return undefined;
      rest += decoder.decode(value, { stream: true });
      const blocks = rest.split(/\r?\n\r?\n/);
      rest = blocks.pop() ?? '';
      if (rest.length > replyBytes)
        throw new RemoteReplyError(`An event is larger than ${replyBytes} bytes.`);
      yield* blocks;
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

async function unlessSilent(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  silentMs: number,
): Promise<ReadableStreamReadResult<Uint8Array>> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new RemoteUnreachableError(`A stream was silent for ${silentMs} ms.`)),
      silentMs,
    );
  });
  try {
    return await Promise.race([reader.read(), silence]);
  } catch (cause) {
    if (RemoteUnreachableError.isInstance(cause)) throw cause;
    throw new RemoteUnreachableError('The connection of a stream broke.', { cause });
  } finally {
    clearTimeout(timer);
  }
}

/** Null: a comment, or an event that is not known here. */
function toEvent(block: string, request: EventsRequest): RemoteEvent | null {
  const { id, name, data } = fieldsOf(block);
  if (data === null) return null;
  if (name === 'end') return endOf(data, request);
  if (name !== 'message') return null;
  if (id === null || !/^[1-9][0-9]{0,14}$/.test(id))
    throw new RemoteReplyError('A chunk of a stream has no number.');
  const sequence = Number(id);
  if (utf8Length(data) > request.limits.chunkBytes) return { type: 'omitted', sequence };
  const { success, data: chunk } = StreamChunkSchema.safeParse(parse(data));
  return success ? { type: 'chunk', sequence, chunk } : { type: 'omitted', sequence };
}

function endOf(data: string, { sessionId }: EventsRequest): RemoteEvent {
  const end = parse(data);
  const named: unknown =
    typeof end === 'object' && end !== null ? Reflect.get(end, 'sessionId') : null;
  if (named !== sessionId)
    throw new RemoteReplyError(`A stream of ${sessionId} ended with the end of another session.`);
  return { type: 'end' };
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch (cause) {
    throw new RemoteReplyError('An event of a stream is no JSON.', { cause });
  }
}

function fieldsOf(block: string): { id: string | null; name: string; data: string | null } {
  const data: string[] = [];
  let id: string | null = null;
  let name = 'message';
  for (const line of block.split(/\r?\n/)) {
    const at = line.indexOf(':');
    const value = at === -1 ? '' : line.slice(at + 1).replace(/^ /, '');
    const field = at === -1 ? line : line.slice(0, at);
    if (field === 'id') id = value;
    else if (field === 'event') name = value;
    else if (field === 'data') data.push(value);
  }
  return { id, name, data: data.length > 0 ? data.join('\n') : null };
}
