import {
  FINISH_TOOL_NAME,
  isSubAgentTool,
  type ChunkType,
  type JsonValue,
  type StreamChunk,
} from '@helix-agents/core';
import type { ChatChunk } from '../ui/chunks.ts';
import { STOPPED_TEXT, WITHDRAWN_TEXT } from '../ui/withdrawn.ts';
import { MessageSteps } from './message-steps.ts';
import { ToolCalls, type Of, type ToolCallsOptions } from './tool-calls.ts';

/** One for each type of chunk: a new type does not compile until it is shown, or ignored on purpose. */
export type ChunkHandlers = { readonly [Type in ChunkType]: (chunk: Of<Type>) => ChatChunk[] };

const ignored = (): ChatChunk[] => [];

type End =
  | { readonly as: 'open' | 'done' | 'suspended' | 'stopped' }
  | { readonly as: 'failed'; readonly text: string };

/** All that is sent of a withdrawn chunk. */
const STRUCTURE: ReadonlySet<string> = new Set([
  'start-step',
  'finish-step',
  'text-end',
  'reasoning-end',
]);

/**
 * The chunks of one turn, as chunks of one assistant message. A step of the root is a step of the message; what
 * sub-agents do appears inside of it: their calls as tool parts that name their agent, themselves as `data-subagent`.
 *
 * Invariants, which make a stream that was cut continue anywhere:
 * - what is sent depends on the chunks alone, not on when they are read;
 * - a withdrawn chunk still begins its step and uses up its ids, so the chunks after it look the same with and without it;
 * - an output never comes before its input.
 */
export class ChatProjection {
  readonly #options: ToolCallsOptions;
  readonly #steps = new MessageSteps();
  readonly #calls: ToolCalls;
  readonly #handlers: ChunkHandlers;
  #end: End = { as: 'open' };

  constructor(options: ToolCallsOptions) {
    this.#options = options;
    const calls = new ToolCalls(options, (chunk) => this.#beginCall(chunk));
    this.#calls = calls;
    const ended = (end: End): ChatChunk[] => {
      this.#end = end;
      return end.as === 'open' ? [] : this.#steps.closeBlock();
    };
    this.#handlers = {
      text_delta: (chunk) => this.#text(chunk),
      thinking: (chunk) => this.#thinking(chunk),
      tool_arg_stream_start: unlessInternal((chunk) => calls.inputStart(chunk)),
      tool_arg_stream_delta: (chunk) => calls.inputDelta(chunk),
      // The call itself follows, with all of its input.
      tool_arg_stream_end: ignored,
      tool_start: unlessInternal((chunk) => calls.start(chunk)),
      tool_approval_request: (chunk) => calls.request(chunk),
      tool_error: (chunk) => calls.error(chunk),
      tool_end: unlessInternal((chunk) => calls.end(chunk)),
      subagent_start: (chunk) => [...this.#beginCall(chunk), subAgentChunk(chunk)],
      subagent_end: (chunk) => [subAgentChunk(chunk)],
      custom: (chunk) => [dataChunk(chunk)],
      state_patch: (chunk) => this.#statePatch(chunk),
      output: (chunk) => outputChunks(chunk),
      step_committed: (chunk) => (this.#isRoot(chunk) ? this.#steps.closeBlock() : []),
      step_stopped: (chunk) => this.#stop(chunk),
      step_discarded: (chunk) => this.#discard(chunk),
      run_started: () => ended({ as: 'open' }),
      run_resumed: () => ended({ as: 'open' }),
      run_suspended: () => ended({ as: 'suspended' }),
      run_interrupted: () => ended({ as: 'stopped' }),
      run_completed: () => ended({ as: 'done' }),
      run_failed: ({ message }) => ended({ as: 'failed', text: message }),
      // `run_failed` follows, with the same text.
      error: ignored,
      // Of time travel: the run that follows it is shown.
      stream_resync: ignored,
    };
  }

  /** `withdrawn`: a later chunk takes it back, and the client has not seen it. */
  accept(chunk: StreamChunk, withdrawn = false): ChatChunk[] {
    this.#steps.hidden = withdrawn;
    // A newer version may have written a type that this one does not know.
    const handle = this.#handlers[chunk.type] as ((chunk: StreamChunk) => ChatChunk[]) | undefined;
    const made = handle?.(chunk) ?? [];
    return withdrawn ? made.filter(({ type }) => STRUCTURE.has(type)) : made;
  }

  /** The call has its outcome. */
  isOver(toolCallId: string): boolean {
    return this.#calls.isOver(toolCallId);
  }

  /** What closes the stream: open parts, the step, and how the turn stands. */
  finish(): ChatChunk[] {
    const out = this.#steps.close();
    switch (this.#end.as) {
      case 'failed':
        return [...out, { type: 'error', errorText: this.#end.text }];
      case 'stopped':
        return [...out, { type: 'abort' }, { type: 'finish', finishReason: 'other' }];
      case 'suspended':
        return [...out, { type: 'finish', finishReason: 'tool-calls' }];
      case 'open':
      case 'done':
        return [...out, { type: 'finish', finishReason: 'stop' }];
    }
  }

  #isRoot({ agentId }: StreamChunk): boolean {
    return agentId === this.#options.rootId;
  }

  #text(chunk: Of<'text_delta'>): ChatChunk[] {
    const { agentId, agentType, delta, step } = chunk;
    if (this.#isRoot(chunk)) return this.#steps.write('text', step, delta);
    return [{ type: 'data-subagent-text', data: { agentId, agentType, delta }, transient: true }];
  }

  #thinking(chunk: Of<'thinking'>): ChatChunk[] {
    const { content, isComplete, step } = chunk;
    if (!this.#isRoot(chunk) || content === '') return [];
    // The whole block comes after its deltas, or instead of them.
    if (isComplete && this.#steps.isOpen('reasoning', content)) return this.#steps.closeBlock();
    const out = this.#steps.write('reasoning', step, content);
    return isComplete ? [...out, ...this.#steps.closeBlock()] : out;
  }

  /** Tool calls of sub-agents belong to the root's step they work for. */
  #beginCall(chunk: StreamChunk): ChatChunk[] {
    if (this.#isRoot(chunk)) return [...this.#steps.enter(chunk.step), ...this.#steps.closeBlock()];
    return this.#steps.current === null ? this.#steps.enter(0) : [];
  }

  #statePatch(chunk: Of<'state_patch'>): ChatChunk[] {
    if (!this.#isRoot(chunk)) return [];
    const data: JsonValue = chunk.patches.map((patch) => ({ ...patch }));
    return [{ type: 'data-state-patch', data, transient: true }];
  }

  /** What the model said in this step stays, marked as stopped. */
  #stop(chunk: Of<'step_stopped'>): ChatChunk[] {
    const shown = this.#isRoot(chunk) && this.#steps.current === chunk.step;
    return [
      ...(shown ? this.#steps.closeBlock() : []),
      ...this.#calls.stop(chunk),
      ...(shown ? [{ type: STOPPED_TEXT, data: {} } as const] : []),
    ];
  }

  /** Drops what the agent said in this step. A client without `reset-step` is told what not to show. */
  #discard(chunk: Of<'step_discarded'>): ChatChunk[] {
    const shown = this.#isRoot(chunk) && this.#steps.current === chunk.step;
    const reset = shown && this.#options.later;
    return [
      ...(shown ? this.#steps.closeBlock() : []),
      ...(reset ? [{ type: 'reset-step' } as const] : []),
      ...this.#calls.discard(chunk, reset),
      ...(shown && !reset ? withdrawnChunks(chunk.reason) : []),
    ];
  }
}

/** Sub-agents are shown as such, and what an agent finishes with as its output. */
function unlessInternal<Chunk extends { readonly toolName: string }>(
  handle: (chunk: Chunk) => ChatChunk[],
): (chunk: Chunk) => ChatChunk[] {
  return (chunk) =>
    chunk.toolName === FINISH_TOOL_NAME || isSubAgentTool(chunk.toolName) ? [] : handle(chunk);
}

function subAgentChunk(chunk: Of<'subagent_start' | 'subagent_end'>): ChatChunk {
  const { toolCallId, subAgentType: agentType, subSessionId: sessionId } = chunk;
  const about = { toolCallId, agentType, sessionId };
  if (chunk.type === 'subagent_start') {
    return { type: 'data-subagent', id: toolCallId, data: { ...about, status: 'running' } };
  }
  const outcome = chunk.success
    ? { status: 'completed', output: chunk.result ?? null }
    : { status: 'failed', error: chunk.error ?? 'The sub-agent failed.' };
  return { type: 'data-subagent', id: toolCallId, data: { ...about, ...outcome } };
}

/** What `ctx.emit(name, data)` says. Data with a string `id` replaces what was said under that id. */
function dataChunk({ name, data }: Of<'custom'>): ChatChunk {
  const id = typeof data === 'object' && data !== null && 'id' in data ? data['id'] : undefined;
  return { type: `data-${name}`, data, ...(typeof id === 'string' && { id }) };
}

/** Text is in the message already; structured output is shown as data. */
function outputChunks({ output }: Of<'output'>): ChatChunk[] {
  if (typeof output !== 'object' || output === null) return [];
  return [{ type: 'data-output', id: 'output', data: output }];
}

/** What the page hides at once, and that it loads the snapshot when the stream is over. */
function withdrawnChunks(reason: string): ChatChunk[] {
  return [
    { type: WITHDRAWN_TEXT, data: { reason } },
    { type: 'data-resync', data: { reason }, transient: true },
  ];
}
