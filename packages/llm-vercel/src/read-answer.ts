import { noopLogger, type LLMCallbacks, type Logger, type StepResult } from '@helix-agents/core';
import { Answer } from './answer.ts';
import { readFinish, type Finish } from './finish.ts';
import { ProviderError } from './provider-error.ts';
import type { StreamPart } from './stream-part.ts';
import { takePart } from './take-part.ts';

export interface ReadOptions {
  readonly callbacks: LLMCallbacks;
  readonly abortSignal: AbortSignal;
  readonly logger?: Logger;
  /** Take an answer whose stream ended without a reason to stop. */
  readonly acceptMissingFinishReason?: boolean;
}

export type ReadOutcome =
  | { readonly ok: true; readonly result: StepResult }
  /** `started`: some of the failed answer was told already. */
  | { readonly ok: false; readonly error: unknown; readonly started: boolean };

/** Reads one answer to its end. A stream that fails, or stops before it says why, is a failure. */
export async function readAnswer(
  stream: ReadableStream<unknown>,
  options: ReadOptions,
): Promise<ReadOutcome> {
  const { abortSignal } = options;
  const answer = new Answer(options.callbacks);
  const reader = stream.getReader();
  const stop = (): void => void reader.cancel(abortSignal.reason).catch(() => {});
  abortSignal.addEventListener('abort', stop, { once: true });
  try {
    const finish = await readParts(reader, answer, options.logger ?? noopLogger);
    abortSignal.throwIfAborted();
    // What follows the finish is the end of the connection, which can then be used again.
    if (finish !== null) void drain(reader);
    const result = answer.toStepResult(requireComplete(finish, answer, options));
    return { ok: true, result };
  } catch (error) {
    stop();
    return { ok: false, error, started: answer.started };
  } finally {
    abortSignal.removeEventListener('abort', stop);
  }
}

async function readParts(
  reader: ReadableStreamDefaultReader<unknown>,
  answer: Answer,
  logger: Logger,
): Promise<Finish | null> {
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return null;
    const part = value as StreamPart;
    if (part.type === 'finish') return readFinish(part);
    if (part.type === 'error') throw part.error;
    const told = takePart(answer, part, logger);
    if (told) await told;
  }
}

function requireComplete(finish: Finish | null, answer: Answer, options: ReadOptions): Finish {
  if (finish === null || (finish.cut && !options.acceptMissingFinishReason)) {
    throw new ProviderError({
      code: 'provider_unavailable',
      message:
        'The model stopped in the middle of its answer: the stream ended without a reason to finish. Ask it again.',
    });
  }
  if (finish.stopReason === 'error') {
    throw new ProviderError({
      code: 'provider_error',
      message: 'The model ended its answer with an error and did not say which. Ask it again.',
      retryable: true,
    });
  }
  if (finish.stopReason === 'content_filter' && answer.isEmpty) {
    throw new ProviderError({
      code: 'provider_content_filtered',
      message:
        'The provider withheld the whole answer: its content filter stopped it. Change the messages.',
    });
  }
  return finish;
}

async function drain(reader: ReadableStreamDefaultReader<unknown>): Promise<void> {
  try {
    while (!(await reader.read()).done);
  } catch {
    // The answer is complete; how its connection ends is nobody's concern.
  }
}
