import { readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai';

export type AiMajor = 6 | 7;

/** A word that is withdrawn at once: `ai` 7 drops the word, `ai` 6 does not know the `reset-step` chunk and keeps it. */
const PROBE: readonly UIMessageChunk[] = [
  { type: 'start', messageId: 'probe' },
  { type: 'start-step' },
  { type: 'text-start', id: 'word' },
  { type: 'text-delta', id: 'word', delta: 'word' },
  { type: 'reset-step' },
  { type: 'finish' },
];

/**
 * The major version of `ai`, found by how it handles a chunk that only version 7 knows, so that no version number has to be
 * maintained here. `read` reduces chunks to a message.
 */
export async function detectMajor(
  read: (chunks: ReadableStream<UIMessageChunk>) => Promise<UIMessage | undefined>,
): Promise<AiMajor> {
  const chunks = new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const chunk of PROBE) controller.enqueue(chunk);
      controller.close();
    },
  });
  const message = await read(chunks).catch(() => undefined);
  const kept = message === undefined || message.parts.some(({ type }) => type === 'text');
  return kept ? 6 : 7;
}

let installed: Promise<AiMajor> | undefined;

/** Of the `ai` that this page has. */
export function installedMajor(): Promise<AiMajor> {
  installed ??= detectMajor(async (stream) => {
    let last: UIMessage | undefined;
    for await (const message of readUIMessageStream({ stream })) last = message;
    return last;
  });
  return installed;
}
