import { RemoteReplyError, RemoteUnreachableError } from '../errors/remote-errors.ts';
import { toJsonValue } from '../util/to-json-value.ts';
import type { JsonValue } from '../json.ts';

/** The JSON of a reply, of at most this many bytes. */
export async function readReply(response: Response, maxBytes: number): Promise<JsonValue> {
  const text = await readText(response, maxBytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new RemoteReplyError(`A reply with status ${response.status} is no JSON.`, { cause });
  }
  const plain = toJsonValue(value, maxBytes);
  if (!plain.ok) throw new RemoteReplyError('A reply holds what cannot be stored.');
  return plain.value;
}

async function readText(response: Response, maxBytes: number): Promise<string> {
  if (Number(response.headers.get('content-length')) > maxBytes) {
    discard(response);
    throw tooLarge(maxBytes);
  }
  if (!response.body) return '';
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      bytes += value.byteLength;
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      text += decoder.decode(value, { stream: true });
    }
  } catch (cause) {
    if (RemoteReplyError.isInstance(cause)) throw cause;
    throw new RemoteUnreachableError('The connection broke in the middle of a reply.', { cause });
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

export function discard(response: Response): void {
  response.body?.cancel().catch(() => undefined);
}

function tooLarge(maxBytes: number): RemoteReplyError {
  return new RemoteReplyError(`A reply is larger than ${maxBytes} bytes.`);
}
