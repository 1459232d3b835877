import { parseWith } from '../../define/parse-with.ts';
import type { Tool, ToolContext } from '../../define/types.ts';
import { errorMessage } from '../../errors/helix-error.ts';
import type { JsonValue } from '../../json.ts';
import { ImmerStateTracker } from '../../state/immer-state-tracker.ts';
import type { StateWrite } from '../../state/state-write.ts';
import type { CallResult, PlannedCall, SessionRow, UsageRow } from '../../store/rows.ts';
import { toJsonValue } from '../../util/to-json-value.ts';
import type { LoopRun } from '../loop/host.ts';
import { HookScope } from '../../hooks/fire-hooks.ts';
import { failure } from './answer-result.ts';
import { entry, speakerOf } from './chunk-entries.ts';
import type { EngineContext, OperationScope } from './context.ts';
import { mergeState } from './merge-state.ts';

export interface Performed {
  readonly result: CallResult;
  readonly usage: readonly UsageRow[];
}

/**
 * Runs a tool's own code: whatever it does becomes exactly one result. Null when the scope was stopped before it had
 * one; a value that arrives later is dropped.
 */
export async function executeTool(
  ctx: EngineContext,
  run: LoopRun,
  session: SessionRow,
  call: PlannedCall,
  tool: Tool,
  rawInput: JsonValue,
  state: JsonValue,
  scope: OperationScope,
): Promise<Performed | null> {
  const parsed = await parseWith(tool.inputSchema, rawInput);
  if (!parsed.ok) {
    const issues = parsed.issues.map((issue) => issue.message).join('; ');
    return {
      result: failure('tool_input_invalid', `Invalid input for ${tool.name}: ${issues}`),
      usage: [],
    };
  }
  if (scope.signal.aborted) return null;
  const stop = new ToolStop(scope.signal);
  try {
    return await execute(ctx, run, session, call, tool, parsed.value, rawInput, state, stop);
  } finally {
    stop.release();
  }
}

async function execute(
  ctx: EngineContext,
  run: LoopRun,
  session: SessionRow,
  call: PlannedCall,
  tool: Tool,
  input: unknown,
  rawInput: JsonValue,
  state: JsonValue,
  stop: ToolStop,
): Promise<Performed | null> {
  const hooks = new HookScope(ctx, session, { state, signal: () => stop.signal });
  const names = { toolCallId: call.callId, toolName: call.toolName };
  await hooks.fire('beforeTool', { ...names, tool, input: rawInput, attempt: ctx.newId() });
  const before = hooks.take();
  const tracker = new ImmerStateTracker<JsonValue>(mergeState(state, before), {
    arrayDeltaMode: true,
  });
  const usage: UsageRow[] = [];
  const context = toolContext(ctx, run, session, call, tracker, usage, stop);
  const ended = await race(ctx, call, tool, input, context, stop);
  if (ended.kind === 'stopped') return null;
  if (ended.kind === 'timeout') {
    const message = `The tool ${tool.name} did not finish within ${call.timeoutMs} ms.`;
    return { result: withWrites(failure('tool_timeout', message), before), usage };
  }
  if (ended.kind === 'threw') {
    if (stop.fromOutside) return null;
    const failed = failure('tool_execution_failed', errorMessage(ended.error));
    return { result: withWrites(failed, before), usage };
  }
  const result = resultOf(ctx, tool, ended.value);
  const own = result.outcome.success ? tracker.getStepWrites() : [];
  if (own.length > 0) {
    const changed = new HookScope(ctx, session, {
      state: tracker.getState(),
      signal: () => stop.signal,
    });
    await changed.fire('onStateChange', { ...names, writes: own, state: tracker.getState() });
    own.push(...changed.writes);
  }
  return { result: withWrites(result, [...before, ...own]), usage };
}

type Ended =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'threw'; readonly error: unknown }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'stopped' };

function race(
  ctx: EngineContext,
  call: PlannedCall,
  tool: Tool,
  input: unknown,
  context: ToolContext,
  stop: ToolStop,
): Promise<Ended> {
  const own = tool.execute as (input: unknown, context: ToolContext) => unknown;
  const { timeoutMs } = call;
  // A tool that ignores its signal cannot hold the run: whatever comes first counts.
  return new Promise((resolve) => {
    let cancel = (): void => {};
    const end = (ended: Ended): void => {
      cancel();
      resolve(ended);
    };
    stop.onStop = () => end({ kind: 'stopped' });
    if (timeoutMs !== null) {
      cancel = ctx.clock.setTimer(timeoutMs, () => {
        end({ kind: 'timeout' });
        stop.abort(new Error('timeout'));
      });
    }
    (async () => own(input, context))().then(
      (value) => end({ kind: 'value', value }),
      (error: unknown) => end({ kind: 'threw', error }),
    );
  });
}

/** What stops one execution: the run's own signal or its time. Makes a signal only for those who ask for one. */
class ToolStop {
  readonly #scope: AbortSignal;
  #controller: AbortController | null = null;
  #reason: unknown = null;
  #onStop: (() => void) | null = null;
  readonly #listener = (): void => {
    this.abort(this.#scope.reason);
    this.#onStop?.();
  };

  constructor(scope: AbortSignal) {
    this.#scope = scope;
    scope.addEventListener('abort', this.#listener, { once: true });
  }

  set onStop(listener: () => void) {
    this.#onStop = listener;
    if (this.#scope.aborted) listener();
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#reason !== null) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Rather than by its time. */
  get fromOutside(): boolean {
    return this.#scope.aborted;
  }

  abort(reason: unknown): void {
    this.#reason ??= reason;
    this.#controller?.abort(reason);
  }

  release(): void {
    this.#scope.removeEventListener('abort', this.#listener);
  }
}

/** A failing tool leaves nothing behind of its own; what hooks noted before it stays. */
function withWrites(result: CallResult, writes: readonly StateWrite[]): CallResult {
  return writes.length > 0 ? { ...result, writes } : result;
}

function resultOf(ctx: EngineContext, tool: Tool, value: unknown): CallResult {
  const json = toJsonValue(value);
  if (!json.ok) {
    const message = `The tool ${tool.name} returned something that is not plain data: ${json.reason}.`;
    return failure('tool_result_unserializable', message);
  }
  if (json.bytes > ctx.limits.maxToolResultBytes) {
    const message = `The result of ${tool.name} has ${json.bytes} bytes; at most ${ctx.limits.maxToolResultBytes} are kept.`;
    return failure('tool_result_too_large', message);
  }
  return { outcome: { success: true, value: json.value } };
}

function toolContext(
  ctx: EngineContext,
  run: LoopRun,
  session: SessionRow,
  call: PlannedCall,
  tracker: ImmerStateTracker<JsonValue>,
  usage: UsageRow[],
  stop: ToolStop,
): ToolContext {
  const speaker = speakerOf(session);
  return {
    agentId: session.sessionId,
    agentType: session.agentType,
    sessionId: session.sessionId,
    runId: run.runId,
    toolCallId: call.callId,
    idempotencyKey: `${session.sessionId}/${call.callId}`,
    get abortSignal() {
      return stop.signal;
    },
    getState: <T>() => tracker.getState() as T,
    updateState: <T>(change: (draft: T) => void) => {
      tracker.update((draft) => change(draft as T));
    },
    async emit(name, data) {
      await ctx.announcer.stream(session.streamId, [
        entry(speaker, ctx.clock.now(), 'custom', { name, data }),
      ]);
    },
    recordUsage({ name, ...data }) {
      usage.push({
        id: ctx.newId(),
        sessionId: session.sessionId,
        rootId: session.rootId,
        runId: run.runId,
        stepCount: session.stepCount,
        kind: 'custom',
        sourceType: name,
        sourceName: call.toolName,
        data,
        timestamp: ctx.clock.now(),
      });
    },
  };
}
