import type { ModelOutcome } from '../../define/hook-wrappers.ts';
import { HelixError } from '../../errors/helix-error.ts';
import type { LLMCallbacks, LLMConfig, LLMGenerateInput, StepResult } from '../../llm/adapter.ts';
import type { SessionRow } from '../../store/rows.ts';
import { describeFault, toJsonValue } from '../../util/to-json-value.ts';
import { ChunkBatcher } from '../announce/chunk-batcher.ts';
import { entry, speakerOf } from '../announce/chunk-entries.ts';
import type { StreamEntry } from '../../stream/stream-manager.ts';
import { sleep } from '../clock.ts';
import type { EngineContext, OperationScope } from '../context.ts';
import type { HookScope } from '../hooks/fire-hooks.ts';
import { SaidSoFar, type Said } from './said-so-far.ts';

const MAX_ANSWER_BYTES = 64_000_000;
const STORED: ReadonlySet<string> = new Set([
  'content',
  'thinking',
  'toolCalls',
  'subAgentCalls',
  'output',
  'providerMetadata',
]);
const DEFAULT_RETRIES = 3;
const FIRST_BACKOFF_MS = 500;
const DEFAULT_MAX_RETRY_DELAY_MS = 60_000;

type Answer = Exclude<StepResult, { type: 'error' }>;

export type ModelAnswer =
  | { readonly ok: true; readonly result: Answer }
  /** An interrupt cut the answer off. Streamed chunks are not withdrawn here; `said` is what the session keeps. */
  | { readonly ok: false; readonly stopped: 'interrupted'; readonly said: Said | null }
  /** The run was stopped for another reason. Its streamed chunks are withdrawn, unless another owner has the step. */
  | { readonly ok: false; readonly stopped: 'other' }
  | { readonly ok: false; readonly stopped: false; readonly error: HelixError };

const STOPPED = { ok: false, stopped: 'other' } as const;

export type ModelInput = Omit<LLMGenerateInput, 'abortSignal' | 'callbacks'>;

export interface ModelCall {
  readonly input: ModelInput;
  /** The id that a call of the answer gets, from its id at the provider and its index. */
  readonly idOf: (providerId: string, index: number) => string;
  readonly hooks: HookScope;
}

/**
 * One answer of the model, streamed while it comes. Retries belong here: a failed attempt withdraws what it streamed,
 * waits and asks again.
 */
export async function callModel(
  ctx: EngineContext,
  session: SessionRow,
  call: ModelCall,
  scope: OperationScope,
): Promise<ModelAnswer> {
  const batcher = new ChunkBatcher(ctx.announcer, ctx.clock, session.streamId, scope.mayStream);
  const { config } = call.input;
  const retries = config.maxRetries ?? DEFAULT_RETRIES;
  for (let attempt = 0; ; attempt += 1) {
    const said = new SaidSoFar();
    const hear = heardBy(batcher, said, scope.signal);
    const answer = await attemptInside(ctx, session, call, { attempt, hear, signal: scope.signal });
    if ('result' in answer) {
      if (batcher.wrote) await batcher.flush();
      return { ok: true, result: answer.result };
    }
    const { failure } = answer;
    // Another owner works on this step, or has committed it: a withdrawal would hit its chunks.
    if (scope.stopReason?.() === 'lost') {
      batcher.drop();
      return STOPPED;
    }
    if (scope.stopReason?.() === 'interrupted') {
      if (!said.words) batcher.drop();
      await batcher.flush();
      return { ok: false, stopped: 'interrupted', said: said.words };
    }
    if (batcher.wrote) {
      const body = { reason: 'model_call_failed' };
      batcher.add(entry(speakerOf(session), ctx.clock.now(), 'step_discarded', body));
      await batcher.flush();
      batcher.reset();
    }
    if (scope.signal.aborted) return STOPPED;
    if (!failure.retryable || attempt >= retries)
      return { ok: false, stopped: false, error: failure };
    const { sessionId } = session;
    ctx.logger.warn('model.retry', { sessionId, code: failure.code, attempt });
    if (!(await sleep(ctx.clock, retryDelay(config, failure, attempt), scope.signal)))
      return STOPPED;
  }
}

interface AttemptScope {
  /** From 0. */
  readonly attempt: number;
  readonly hear: Hear;
  readonly signal: AbortSignal;
}

/** Inside of the wrappers of hooks, which are told what it came to. */
async function attemptInside(
  ctx: EngineContext,
  session: SessionRow,
  call: ModelCall,
  { attempt, hear, signal }: AttemptScope,
): Promise<Attempt> {
  let firstChunkAt: number | undefined;
  const noting: Hear = (chunk, note) => {
    firstChunkAt ??= ctx.clock.now();
    hear(chunk, note);
  };
  const callbacks = streamInto(ctx, session, call, noting);
  let answer: Attempt | undefined;
  const { messages, tools, config } = call.input;
  await call.hooks.around(
    'aroundModelCall',
    () => ({ attempt: attempt + 1, messages, tools, config }),
    async () => {
      answer = await attemptOnce(ctx, call.input, callbacks, signal);
      return outcomeOf(answer, signal, firstChunkAt);
    },
  );
  return answer as Attempt;
}

function outcomeOf(answer: Attempt, signal: AbortSignal, firstChunkAt?: number): ModelOutcome {
  if ('result' in answer) {
    const { result } = answer;
    return { status: 'answered', result, ...(firstChunkAt !== undefined && { firstChunkAt }) };
  }
  if (signal.aborted) return { status: 'stopped' };
  const { code, message } = answer.failure;
  return { status: 'failed', error: { code, message } };
}

type Attempt = { readonly result: Answer } | { readonly failure: HelixError };

async function attemptOnce(
  ctx: EngineContext,
  input: ModelInput,
  callbacks: LLMCallbacks,
  signal: AbortSignal,
): Promise<Attempt> {
  try {
    const answer = await unlessAborted(signal, () =>
      ctx.model.generateStep({ ...input, abortSignal: signal, callbacks }),
    );
    if (answer === null || signal.aborted) return { failure: asHelixError(signal.reason) };
    return answer.type === 'error'
      ? { failure: asHelixError(answer.error) }
      : plainAnswer(ctx, input.agentId, answer);
  } catch (error) {
    return { failure: asHelixError(error) };
  }
}

/** What becomes part of the transcript is plain data. Token counts that are not are left out. */
function plainAnswer(
  { logger }: EngineContext,
  sessionId: string,
  { usage, ...answer }: Answer,
): Attempt {
  const stored = Object.entries(answer).filter(([field]) => STORED.has(field));
  const converted = toJsonValue(Object.fromEntries(stored), MAX_ANSWER_BYTES);
  if (!converted.ok) {
    const message = `The model's answer is no plain data: ${describeFault(converted)}.`;
    return { failure: new HelixError({ code: 'provider_response_invalid', message }) };
  }
  const result = { ...answer, ...(converted.value as object) } as Answer;
  const counts = toJsonValue(usage);
  if (!counts.ok) logger.warn('model.usage_dropped', { sessionId, error: describeFault(counts) });
  return { result: counts.ok && usage ? { ...result, usage } : result };
}

/** Null as soon as the signal aborts, so that an adapter that ignores it cannot hold the run. */
async function unlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T | null> {
  if (signal.aborted) return null;
  const aborted = Promise.withResolvers<null>();
  const stop = (): void => aborted.resolve(null);
  signal.addEventListener('abort', stop);
  try {
    return await Promise.race([work(), aborted.promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Takes in one chunk of an answer. */
type Hear = (chunk: StreamEntry, note?: (said: SaidSoFar) => void) => void;

/** A late callback of a cut attempt must not appear after its withdrawal. */
function heardBy(batcher: ChunkBatcher, said: SaidSoFar, signal: AbortSignal): Hear {
  return (chunk, note) => {
    if (signal.aborted) return;
    batcher.add(chunk);
    note?.(said);
  };
}

function streamInto(
  ctx: EngineContext,
  session: SessionRow,
  { idOf }: ModelCall,
  hear: Hear,
): LLMCallbacks {
  const speaker = speakerOf(session);
  const ids: string[] = [];
  return {
    onTextDelta: (delta) =>
      hear(entry(speaker, ctx.clock.now(), 'text_delta', { delta }), (said) => said.addText(delta)),
    onThinking: (content, isComplete) =>
      hear(entry(speaker, ctx.clock.now(), 'thinking', { content, isComplete }), (said) =>
        said.addThinking(content, isComplete),
      ),
    onToolInputStart: ({ index, id, name }) => {
      const toolCallId = idOf(id, index);
      ids[index] = toolCallId;
      const body = { toolCallId, toolName: name };
      hear(entry(speaker, ctx.clock.now(), 'tool_arg_stream_start', body));
    },
    onToolInputDelta: ({ index, delta }) => {
      const toolCallId = ids[index];
      if (toolCallId === undefined) return;
      hear(entry(speaker, ctx.clock.now(), 'tool_arg_stream_delta', { toolCallId, delta }));
    },
  };
}

function asHelixError(error: unknown): HelixError {
  if (HelixError.isInstance(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new HelixError({ code: 'provider_error', message, cause: error });
}

/** As the provider asked, else twice as long each time; never above the limit. */
function retryDelay(config: LLMConfig, error: HelixError, attempt: number): number {
  const asked = (error as { retryAfterMs?: unknown }).retryAfterMs;
  const wanted = typeof asked === 'number' && asked >= 0 ? asked : FIRST_BACKOFF_MS * 2 ** attempt;
  return Math.min(wanted, config.maxRetryDelayMs ?? DEFAULT_MAX_RETRY_DELAY_MS);
}
