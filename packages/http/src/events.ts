/** One server-sent event. */
export interface ServerEvent {
  readonly id: string | null;
  readonly event: string;
  readonly data: string;
}

/** The events of a body as they arrive, for clients: imports nothing. Comments and an incomplete last event are left out. */
export async function* parseEvents(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<ServerEvent, undefined> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return undefined;
      rest += decoder.decode(value, { stream: true });
      const blocks = rest.split(/\r?\n\r?\n/);
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = parseBlock(block);
        if (event) yield event;
      }
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

function parseBlock(block: string): ServerEvent | null {
  const fields = { id: null as string | null, event: 'message', data: [] as string[] };
  for (const line of block.split(/\r?\n/)) {
    const at = line.indexOf(':');
    const name = at === -1 ? line : line.slice(0, at);
    const value = at === -1 ? '' : line.slice(at + 1).replace(/^ /, '');
    if (name === 'id') fields.id = value;
    else if (name === 'event') fields.event = value;
    else if (name === 'data') fields.data.push(value);
  }
  if (fields.data.length === 0) return null;
  return { id: fields.id, event: fields.event, data: fields.data.join('\n') };
}
