import type { ChunkType, JsonValue, StreamChunk } from '@helix-agents/core';
import type { ChatChunk } from '../ui/chunks.ts';
import { STOPPED_CALL, WITHDRAWN_CALL } from '../ui/withdrawn.ts';

export type Of<Type extends ChunkType> = Extract<StreamChunk, { readonly type: Type }>;

interface Call {
  readonly toolName: string;
  readonly agentId: string;
  readonly step: number;
  stage: 'streaming' | 'available' | 'requested' | 'over';
  input: JsonValue;
  argumentText: string;
  approvalId: string | null;
  denial: string | null;
}

export interface ToolCallsOptions {
  readonly rootId: string;
  /** The client understands the chunks of `ai` 7. */
  readonly later: boolean;
  /** Calls whose approval was decided before the client sees them; an older client is not shown the request. */
  readonly decided?: ReadonlySet<string>;
}

/** The tool parts of one message: an output never comes before its input, and comes once. */
export class ToolCalls {
  readonly #options: ToolCallsOptions;
  readonly #calls = new Map<string, Call>();
  /** Opens the step a call belongs to. */
  readonly #begin: (chunk: StreamChunk) => ChatChunk[];

  constructor(options: ToolCallsOptions, begin: (chunk: StreamChunk) => ChatChunk[]) {
    this.#options = options;
    this.#begin = begin;
  }

  isOver(toolCallId: string): boolean {
    return this.#calls.get(toolCallId)?.stage === 'over';
  }

  inputStart(chunk: Of<'tool_arg_stream_start'>): ChatChunk[] {
    this.#calls.set(chunk.toolCallId, newCall(chunk, 'streaming'));
    return [...this.#begin(chunk), { type: 'tool-input-start', ...this.#named(chunk) }];
  }

  inputDelta({ toolCallId, delta }: Of<'tool_arg_stream_delta'>): ChatChunk[] {
    const call = this.#calls.get(toolCallId);
    if (call?.stage !== 'streaming') return [];
    call.argumentText += delta;
    return [{ type: 'tool-input-delta', toolCallId, inputTextDelta: delta }];
  }

  start(chunk: Of<'tool_start'>): ChatChunk[] {
    const call = this.#calls.get(chunk.toolCallId);
    if (call?.stage === 'over') return [];
    if (call?.stage === 'requested') return this.#approved(chunk, call);
    const input = chunk.arguments;
    this.#calls.set(chunk.toolCallId, { ...newCall(chunk, 'available'), input });
    const server = chunk.execute === 'client' ? {} : { providerExecuted: true };
    return [
      ...this.#begin(chunk),
      { type: 'tool-input-available', ...this.#named(chunk), input, ...server },
    ];
  }

  /** A gated call that runs was approved; a person may have edited its input. */
  #approved(chunk: Of<'tool_start'>, call: Call): ChatChunk[] {
    const { approvalId } = call;
    call.stage = 'available';
    const out: ChatChunk[] = [];
    if (JSON.stringify(call.input) !== JSON.stringify(chunk.arguments)) {
      call.input = chunk.arguments;
      out.push({ type: 'tool-input-available', ...this.#named(chunk), input: call.input });
    }
    if (this.#options.later && approvalId !== null) {
      out.push({ type: 'tool-approval-response', approvalId, approved: true });
    }
    return out;
  }

  request(chunk: Of<'tool_approval_request'>): ChatChunk[] {
    const { toolCallId, approvalId, input, rawInput } = chunk;
    this.#calls.set(toolCallId, { ...newCall(chunk, 'requested'), input, approvalId });
    const out: ChatChunk[] = [
      ...this.#begin(chunk),
      { type: 'tool-input-available', ...this.#named(chunk), input },
    ];
    if (this.#hidesRequest(toolCallId)) return out;
    if (rawInput !== undefined)
      out.push({ type: 'data-raw-input', id: toolCallId, data: rawInput });
    return [...out, { type: 'tool-approval-request', approvalId, toolCallId }];
  }

  /** A denial says why before the call ends. */
  error({ toolCallId, errorCode, error }: Of<'tool_error'>): ChatChunk[] {
    const call = this.#calls.get(toolCallId);
    if (call && errorCode === 'tool_approval_denied') call.denial = error;
    return [];
  }

  end(chunk: Of<'tool_end'>): ChatChunk[] {
    const { toolCallId } = chunk;
    const call = this.#calls.get(toolCallId);
    if (call?.stage === 'over') return [];
    const input = call && call.stage !== 'streaming' ? [] : this.#refusedInput(chunk, call);
    const made = [...input, ...this.#outcome(chunk, call)];
    // The input is dropped to save memory: from now on only the stage is needed.
    this.#calls.set(toolCallId, newCall(chunk, 'over'));
    return made;
  }

  #outcome(chunk: Of<'tool_end'>, call: Call | undefined): ChatChunk[] {
    const { toolCallId, success, result = null } = chunk;
    if (success) {
      return [
        { type: 'tool-output-available', toolCallId, output: result, providerExecuted: true },
      ];
    }
    const errorText = call?.denial ?? chunk.error ?? 'The call failed.';
    const denied = chunk.errorCode === 'tool_approval_denied' && call?.approvalId != null;
    if (!denied || this.#hidesRequest(toolCallId)) {
      return [{ type: 'tool-output-error', toolCallId, errorText, providerExecuted: true }];
    }
    const approvalId = call?.approvalId ?? '';
    const decision = { approvalId, approved: false, reason: errorText };
    return [
      ...(this.#options.later ? [{ type: 'tool-approval-response', ...decision } as const] : []),
      { type: 'tool-output-denied', toolCallId },
    ];
  }

  /** Ended without having begun: its input was not valid, or there is no such tool. */
  #refusedInput(chunk: Of<'tool_end'>, call: Call | undefined): ChatChunk[] {
    const input = parsedOr(call?.argumentText, {});
    const named = this.#named(chunk);
    return [
      ...this.#begin(chunk),
      { type: 'tool-input-available', ...named, input, providerExecuted: true },
    ];
  }

  /** Forgets the calls of a step that is repeated. `dropped`: the client forgets them by itself. */
  discard(chunk: Of<'step_discarded'>, dropped: boolean): ChatChunk[] {
    const taken = this.#take(chunk, () => true);
    if (dropped) return [];
    const shown = taken.filter(([, call]) => call.stage !== 'over');
    return shown.map(([id, call]) => withdrawn(id, call, WITHDRAWN_CALL));
  }

  /** Forgets calls whose input is incomplete because the model was stopped. */
  stop(chunk: Of<'step_stopped'>): ChatChunk[] {
    const taken = this.#take(chunk, ({ stage }) => stage === 'streaming');
    return taken.map(([id, call]) => withdrawn(id, call, STOPPED_CALL));
  }

  #take({ agentId, step }: StreamChunk, wanted: (call: Call) => boolean): [string, Call][] {
    const taken = [...this.#calls].filter(
      ([, call]) => call.agentId === agentId && call.step === step && wanted(call),
    );
    for (const [toolCallId] of taken) this.#calls.delete(toolCallId);
    return taken;
  }

  /** A client with an older `ai` cannot receive a decision made elsewhere, and would keep showing the request. */
  #hidesRequest(toolCallId: string): boolean {
    return !this.#options.later && this.#options.decided?.has(toolCallId) === true;
  }

  #named(chunk: StreamChunk & { readonly toolCallId: string; readonly toolName: string }): {
    readonly toolCallId: string;
    readonly toolName: string;
    readonly toolMetadata?: { readonly agentType: string; readonly agentId: string };
  } {
    const { toolCallId, toolName, agentType, agentId } = chunk;
    if (agentId === this.#options.rootId) return { toolCallId, toolName };
    return { toolCallId, toolName, toolMetadata: { agentType, agentId } };
  }
}

function withdrawn(toolCallId: string, { toolName, input }: Call, errorText: string): ChatChunk {
  return {
    type: 'tool-input-error',
    toolCallId,
    toolName,
    input,
    errorText,
    providerExecuted: true,
  };
}

function newCall(
  { agentId, step, toolName }: StreamChunk & { readonly toolName: string },
  stage: Call['stage'],
): Call {
  const empty = { input: {}, argumentText: '', approvalId: null, denial: null };
  return { toolName, agentId, step, stage, ...empty };
}

function parsedOr(text: string | undefined, fallback: JsonValue): JsonValue {
  try {
    return text ? (JSON.parse(text) as JsonValue) : fallback;
  } catch {
    return fallback;
  }
}
