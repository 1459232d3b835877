import { HelixError } from '../../errors/helix-error.ts';
import type { LLMCallbacks, LLMConfig, LLMGenerateInput, StepResult } from '../../llm/adapter.ts';
import type { SessionRow } from '../../store/rows.ts';
import { offAbort, onAbort } from '../../util/on-abort.ts';
import { ChunkBatcher } from '../announce/chunk-batcher.ts';
import { entry, speakerOf } from '../announce/chunk-entries.ts';
import { sleep } from '../clock.ts';
import type { EngineContext, OperationScope } from '../context.ts';

const DEFAULT_RETRIES = 3;
const FIRST_BACKOFF_MS = 500;
const DEFAULT_MAX_RETRY_DELAY_MS = 60_000;

export type ModelAnswer =
  | { readonly ok: true; readonly result: Exclude<StepResult, { type: 'error' }> }
  /** The scope was stopped; nothing of this call counts. */
  | { readonly ok: false; readonly stopped: true }
  | { readonly ok: false; readonly stopped: false; readonly error: HelixError };

export type ModelInput = Omit<LLMGenerateInput, 'abortSignal' | 'callbacks'>;

/**
 * One answer of the model, streamed while it comes. Retries belong here: a failed attempt withdraws what it streamed,
 * waits and asks again.
 */
export async function callModel(
  ctx: EngineContext,
  session: SessionRow,
  scope: OperationScope,
  input: ModelInput,
  idOf: (providerId: string, index: number) => string,
): Promise<ModelAnswer> {
  const batcher = new ChunkBatcher(ctx.announcer, ctx.clock, session.streamId, scope.mayStream);
  const retries = input.config.maxRetries ?? DEFAULT_RETRIES;
  for (let attempt = 0; ; attempt += 1) {
    const error = await attemptOnce(ctx, session, scope, input, idOf, batcher);
    if ('result' in error) return { ok: true, result: error.result };
    // Another owner is at this step, or has done it: a withdrawal would hit its chunks.
    if (scope.stopReason?.() === 'lost') {
      batcher.drop();
      return { ok: false, stopped: true };
    }
    if (batcher.wrote) {
      const speaker = speakerOf(session);
      batcher.add(
        entry(speaker, ctx.clock.now(), 'step_discarded', { reason: 'model_call_failed' }),
      );
      await batcher.flush();
      batcher.reset();
    }
    if (scope.signal.aborted) return { ok: false, stopped: true };
    if (!error.failure.retryable || attempt >= retries) {
      return { ok: false, stopped: false, error: error.failure };
    }
    ctx.logger.warn('model.retry', {
      sessionId: session.sessionId,
      code: error.failure.code,
      attempt,
    });
    const delay = retryDelay(input.config, error.failure, attempt);
    const waited = await sleep(ctx.clock, delay, scope.signal);
    if (!waited) return { ok: false, stopped: true };
  }
}

async function attemptOnce(
  ctx: EngineContext,
  session: SessionRow,
  scope: OperationScope,
  input: ModelInput,
  idOf: (providerId: string, index: number) => string,
  batcher: ChunkBatcher,
): Promise<{ result: Exclude<StepResult, { type: 'error' }> } | { failure: HelixError }> {
  try {
    const callbacks = streamInto(ctx, session, batcher, idOf, scope.signal);
    const answer = await unlessAborted(scope.signal, () =>
      ctx.model.generateStep({ ...input, abortSignal: scope.signal, callbacks }),
    );
    if (answer === null || scope.signal.aborted)
      return { failure: asHelixError(scope.signal.reason) };
    if (answer.type === 'error') return { failure: asHelixError(answer.error) };
    if (batcher.wrote) await batcher.flush();
    return { result: answer };
  } catch (error) {
    return { failure: asHelixError(error) };
  }
}

/** Null as soon as the signal aborts, so that an adapter that ignores it cannot hold the run. */
function unlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(null);
    onAbort(signal, stop);
    if (signal.aborted) stop();
    work().then(
      (value) => {
        offAbort(signal, stop);
        resolve(value);
      },
      (error: unknown) => {
        offAbort(signal, stop);
        reject(error);
      },
    );
  });
}

function streamInto(
  ctx: EngineContext,
  session: SessionRow,
  batcher: ChunkBatcher,
  idOf: (providerId: string, index: number) => string,
  signal: AbortSignal,
): LLMCallbacks {
  const speaker = speakerOf(session);
  const ids: string[] = [];
  // A late callback of a cut attempt must not appear after its withdrawal.
  const add = (make: () => Parameters<ChunkBatcher['add']>[0]): void => {
    if (!signal.aborted) batcher.add(make());
  };
  return {
    onTextDelta: (delta) => add(() => entry(speaker, ctx.clock.now(), 'text_delta', { delta })),
    onThinking: (content, isComplete) =>
      add(() => entry(speaker, ctx.clock.now(), 'thinking', { content, isComplete })),
    onToolInputStart: ({ index, id, name }) => {
      const toolCallId = idOf(id, index);
      ids[index] = toolCallId;
      const body = { toolCallId, toolName: name };
      add(() => entry(speaker, ctx.clock.now(), 'tool_arg_stream_start', body));
    },
    onToolInputDelta: ({ index, delta }) => {
      const toolCallId = ids[index];
      if (toolCallId === undefined) return;
      add(() => entry(speaker, ctx.clock.now(), 'tool_arg_stream_delta', { toolCallId, delta }));
    },
  };
}

function asHelixError(error: unknown): HelixError {
  if (HelixError.isInstance(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new HelixError({ code: 'provider_error', message, cause: error });
}

/** What the provider asked for, else twice as long each time; never above the limit, whatever a header says. */
function retryDelay(config: LLMConfig, error: HelixError, attempt: number): number {
  const asked = (error as { retryAfterMs?: unknown }).retryAfterMs;
  const wanted = typeof asked === 'number' && asked >= 0 ? asked : FIRST_BACKOFF_MS * 2 ** attempt;
  return Math.min(wanted, config.maxRetryDelayMs ?? DEFAULT_MAX_RETRY_DELAY_MS);
}
