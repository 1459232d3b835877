import type { LLMGenerateInput, StepResult } from './adapter.ts';
import { assertValidTranscript } from './transcript.ts';

/** One answer of a scripted model: the answer itself, a way to make it, or an error to throw. */
export type ScriptedStep =
  | StepResult
  | Error
  | ((input: LLMGenerateInput) => StepResult | Promise<StepResult>);

export interface ScriptOptions {
  /** Wait before the answer begins. */
  readonly delayMs?: number;
  /** Wait between two pieces of streamed text. */
  readonly streamDelayMs?: number;
  /** Characters per piece of streamed text; all at once unless given. */
  readonly chunkSize?: number;
  /** Refuse transcripts a real provider would refuse. Default true. */
  readonly strict?: boolean;
}

/** What a scripted model was asked, copied at the time. */
export type RecordedCall = Omit<LLMGenerateInput, 'abortSignal' | 'callbacks'>;

export function recordCall(input: LLMGenerateInput): RecordedCall {
  const { abortSignal: _signal, callbacks: _callbacks, config, ...data } = input;
  return { ...structuredClone(data), config: { ...config } };
}

/** Plays one step as a provider would: checks, waits, streams, answers. An abort ends it at once. */
export async function playStep(
  step: ScriptedStep,
  input: LLMGenerateInput,
  options: ScriptOptions,
): Promise<StepResult> {
  if (options.strict ?? true) assertValidTranscript(input.messages);
  await wait(options.delayMs ?? 0, input.abortSignal);
  if (step instanceof Error) throw step;
  const result = typeof step === 'function' ? await step(input) : step;
  await streamResult(result, input, options);
  input.abortSignal.throwIfAborted();
  return result;
}

async function streamResult(
  result: StepResult,
  input: LLMGenerateInput,
  options: ScriptOptions,
): Promise<void> {
  if (result.type !== 'text' && result.type !== 'tool_calls') return;
  const { callbacks, abortSignal } = input;
  const pause = (): Promise<void> => wait(options.streamDelayMs ?? 0, abortSignal);
  if (result.thinking) await callbacks.onThinking(result.thinking, true);
  for (const delta of pieces(result.content ?? '', options.chunkSize)) {
    await callbacks.onTextDelta(delta);
    await pause();
  }
  if (result.type === 'text') return;
  for (const [index, call] of result.toolCalls.entries()) {
    await callbacks.onToolInputStart({ index, id: call.id, name: call.name });
    const text = call.invalidArguments ?? JSON.stringify(call.arguments);
    for (const delta of pieces(text, options.chunkSize)) {
      await callbacks.onToolInputDelta({ index, delta });
      await pause();
    }
  }
}

function pieces(text: string, size = text.length): string[] {
  const found: string[] = [];
  for (let start = 0; start < text.length; start += size)
    found.push(text.slice(start, start + size));
  return found;
}

async function wait(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (ms <= 0) return;
  await new Promise<void>((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}
