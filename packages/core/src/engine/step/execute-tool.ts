import { parseWith } from '../../define/parse-with.ts';
import type { Tool, ToolContext } from '../../define/types.ts';
import { errorMessage } from '../../errors/helix-error.ts';
import type { JsonValue } from '../../json.ts';
import { ImmerStateTracker } from '../../state/immer-state-tracker.ts';
import type { StateWrite } from '../../state/state-write.ts';
import type { CallResult, PlannedCall, SessionRow, UsageRow } from '../../store/rows.ts';
import { frozenCopy } from '../../util/frozen-copy.ts';
import { ownCopy } from '../../util/own-copy.ts';
import type { LoopRun } from '../../loop/host.ts';
import { HookScope } from '../hooks/fire-hooks.ts';
import type { HookPayloads } from '../../define/hooks.ts';
import { failure, invalidInput } from '../rows/answer-result.ts';
import { entry, speakerOf } from '../announce/chunk-entries.ts';
import type { EngineContext, OperationScope } from '../context.ts';
import { mergeState } from '../rows/merge-state.ts';
import { ToolStop } from './tool-stop.ts';
import { resultOfValue } from './tool-value.ts';

export interface Performed {
  readonly result: CallResult;
  /** False: its input was refused before anything ran. */
  readonly ran: boolean;
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
  const outcome = parseWith(tool.inputSchema, ownCopy(rawInput));
  const parsed = outcome instanceof Promise ? await outcome : outcome;
  if (!parsed.ok) {
    return {
      result: invalidInput(tool.name, parsed.issues),
      ran: false,
      usage: [],
    };
  }
  if (scope.signal.aborted) return null;
  const stop = new ToolStop(scope.signal);
  try {
    const hooks = new HookScope(ctx, session, { state, signal: () => stop.signal });
    if (hooks.has('beforeTool')) {
      const input = frozenCopy(rawInput);
      const payload = { ...namesOf(call), tool, input, attempt: ctx.newId() };
      await hooks.fire('beforeTool', payload);
    }
    const before = hooks.take();
    const tracker = new ImmerStateTracker<JsonValue>(mergeState(state, before), BY_DELTAS);
    const usage: UsageRow[] = [];
    const context = toolContext(ctx, run, session, call, tracker, usage, stop);
    const ended = await race(ctx, call, tool, parsed.value, context, stop);
    const made = resultOf(ctx, call, tool, ended, stop);
    const result = made instanceof Promise ? await made : made;
    if (!result) return null;
    const own = result.outcome.success ? tracker.getStepWrites() : [];
    if (own.length > 0) own.push(...(await stateChanged(ctx, session, call, tracker, own, stop)));
    return { result: withWrites(result, before, own), ran: true, usage };
  } finally {
    stop.release();
  }
}

const BY_DELTAS = { arrayDeltaMode: true };

function namesOf(call: PlannedCall): Pick<HookPayloads['afterTool'], 'toolCallId' | 'toolName'> {
  return { toolCallId: call.callId, toolName: call.toolName };
}

/** Says what hooks changed in turn. */
async function stateChanged(
  ctx: EngineContext,
  session: SessionRow,
  call: PlannedCall,
  tracker: ImmerStateTracker<JsonValue>,
  writes: readonly StateWrite[],
  stop: ToolStop,
): Promise<readonly StateWrite[]> {
  const state = tracker.getState();
  const changed = new HookScope(ctx, session, { state, signal: () => stop.signal });
  await changed.fire('onStateChange', { ...namesOf(call), writes, state });
  return changed.writes;
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
    perform(own, input, context).then(
      (value) => end({ kind: 'value', value }),
      (error: unknown) => end({ kind: 'threw', error }),
    );
  });
}

/** What a tool throws before its first wait is a rejection too. */
function perform(
  own: (input: unknown, context: ToolContext) => unknown,
  input: unknown,
  context: ToolContext,
): Promise<unknown> {
  try {
    return Promise.resolve(own(input, context));
  } catch (error) {
    return Promise.reject(error);
  }
}

/** A failing tool leaves nothing behind of its own; what hooks noted before it stays. */
function withWrites(
  result: CallResult,
  before: readonly StateWrite[],
  own: readonly StateWrite[],
): CallResult {
  if (before.length === 0 && own.length === 0) return result;
  return { ...result, writes: [...before, ...own] };
}

/** Null when it was stopped from outside. */
function resultOf(
  ctx: EngineContext,
  call: PlannedCall,
  tool: Tool,
  ended: Ended,
  stop: ToolStop,
): CallResult | null | Promise<CallResult> {
  switch (ended.kind) {
    case 'stopped':
      return null;
    case 'timeout': {
      const message = `The tool ${tool.name} did not finish within ${call.timeoutMs} ms.`;
      return failure('tool_timeout', message);
    }
    case 'threw':
      return stop.fromOutside ? null : failure('tool_execution_failed', errorMessage(ended.error));
    case 'value':
      return resultOfValue(ctx, tool, ended.value);
  }
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
  return {
    agentId: session.sessionId,
    agentType: session.agentType,
    sessionId: session.sessionId,
    runId: run.runId,
    toolCallId: call.callId,
    idempotencyKey: `${session.sessionId}/${call.callId}`,
    abortSignal: stop.signal,
    getState: <T>() => tracker.getState() as T,
    updateState: <T>(change: (draft: T) => void) => {
      tracker.update((draft) => change(draft as T));
    },
    async emit(name, data) {
      await ctx.announcer.stream(session.streamId, [
        entry(speakerOf(session), ctx.clock.now(), 'custom', { name, data }),
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
