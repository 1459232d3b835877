/** One event of a stream: its id where it has one, and its data. */
export interface ServerEvent {
  readonly id: string | null;
  readonly data: string;
}

/** The events of an SSE body, as they come. A body that ends in the middle of one drops it. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const events = text.split(/\r?\n\r?\n/);
      text = events.pop() ?? '';
      for (const event of events) {
        const parsed = parseEvent(event);
        if (parsed) yield parsed;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function parseEvent(text: string): ServerEvent | null {
  let id: string | null = null;
  const data: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('id:')) id = line.slice(3).trim();
    else if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
  }
  return data.length > 0 ? { id, data: data.join('\n') } : null;
}
