import type { ToolAttempt, ToolOutcome } from '../../define/hook-wrappers.ts';
import type { HookPayloads } from '../../define/hooks.ts';
import type { Tool, ToolContext } from '../../define/types.ts';
import { errorMessage } from '../../errors/helix-error.ts';
import type { JsonValue } from '../../json.ts';
import { ImmerStateTracker } from '../../state/immer-state-tracker.ts';
import type { StateWrite } from '../../state/state-write.ts';
import type { CallResult, PlannedCall, UsageRow } from '../../store/rows.ts';
import { frozenCopy } from '../../util/frozen-copy.ts';
import type { EngineContext, OperationScope } from '../context.ts';
import { HookScope } from '../hooks/fire-hooks.ts';
import { failure, invalidInput } from '../rows/answer-result.ts';
import { mergeState } from '../rows/merge-state.ts';
import { inputToRun, shownInput, type ToolInput } from '../rows/parsed-input.ts';
import type { StepScope } from '../rows/step-view.ts';
import { inToolTime } from './in-tool-time.ts';
import { toolContext } from './tool-context.ts';
import { ToolStop } from './tool-stop.ts';
import { resultOfValue } from './tool-value.ts';

/** A call of a tool, with the input and the state that it gets. */
export interface Invocation {
  readonly call: PlannedCall;
  readonly tool: Tool;
  readonly input: ToolInput;
  readonly state: JsonValue;
}

export interface Performed {
  readonly result: CallResult;
  /** False: its input was refused before anything ran. */
  readonly ran: boolean;
  readonly usage: readonly UsageRow[];
}

/**
 * Runs a tool's own code. A value, an error and a time-out all become exactly one result. Null if the scope was stopped
 * before that; a value that arrives later is dropped.
 */
export async function executeTool(
  step: StepScope,
  invocation: Invocation,
  scope: OperationScope,
): Promise<Performed | null> {
  const { call, tool, input, state } = invocation;
  if (scope.signal.aborted) return null;
  const parsed = await inToolTime(step.ctx, tool, scope.signal, (parse) =>
    inputToRun(tool, input, parse),
  );
  if ('late' in parsed) return { result: parsed.late, ran: false, usage: [] };
  if (!parsed.ok) return { result: invalidInput(tool.name, parsed.issues), ran: false, usage: [] };
  const stop = new ToolStop(scope.signal);
  try {
    const before = await fireBeforeTool(step, invocation, stop);
    const tracker = new ImmerStateTracker<JsonValue>(mergeState(state, before), BY_DELTAS);
    const usage: UsageRow[] = [];
    const context = toolContext(step, call, { tracker, usage, signal: stop.signal });
    const perform = async (): Promise<CallResult> =>
      resultOfValue(step.ctx, tool, await executeOf(tool)(parsed.value, context));
    const ended = await race(step.ctx, call, () => inside(step, invocation, perform, stop), stop);
    const result = resultOf(invocation, ended, stop);
    if (!result) return null;
    // A failing tool leaves no changes of its own; those of hooks before it stay.
    const own = result.outcome.success ? tracker.getStepWrites() : [];
    const after = own.length > 0 ? await fireStateChange(step, call, tracker, stop) : [];
    return { result: withWrites(result, [...before, ...own, ...after]), ran: true, usage };
  } finally {
    stop.release();
  }
}

/** Inside of the wrappers of hooks, which are told what it came to. */
async function inside(
  { ctx, view }: StepScope,
  { call, input, state }: Invocation,
  perform: () => Promise<CallResult>,
  { signal }: ToolStop,
): Promise<CallResult> {
  let ended: Promise<CallResult> | undefined;
  const { stepId } = view.session;
  const attempt = (): ToolAttempt => {
    const shown = frozenCopy(shownInput(input));
    return { ...namesOf(call), stepId, index: call.index, input: shown };
  };
  await new HookScope(ctx, view.session, { state, signal }).around('aroundTool', attempt, () => {
    ended = perform();
    return ended.then(
      ({ outcome }): ToolOutcome => ({ status: 'ended', outcome }),
      (error: unknown): ToolOutcome => ({ status: 'threw', error }),
    );
  });
  return ended as Promise<CallResult>;
}

const BY_DELTAS = { arrayDeltaMode: true };

function executeOf(tool: Tool): (input: unknown, context: ToolContext) => unknown {
  return tool.execute as (input: unknown, context: ToolContext) => unknown;
}

function namesOf(call: PlannedCall): Pick<HookPayloads['afterTool'], 'toolCallId' | 'toolName'> {
  return { toolCallId: call.callId, toolName: call.toolName };
}

/** Returns what the hooks changed. */
async function fireBeforeTool(
  { ctx, view }: StepScope,
  { call, tool, input, state }: Invocation,
  stop: ToolStop,
): Promise<readonly StateWrite[]> {
  const hooks = new HookScope(ctx, view.session, { state, signal: stop.signal });
  if (!hooks.has('beforeTool')) return [];
  const payload = {
    ...namesOf(call),
    tool,
    input: frozenCopy(shownInput(input)),
    attempt: ctx.newId(),
  };
  await hooks.fire('beforeTool', payload);
  return hooks.writes;
}

/** Returns what the hooks changed in turn. */
async function fireStateChange(
  { ctx, view }: StepScope,
  call: PlannedCall,
  tracker: ImmerStateTracker<JsonValue>,
  stop: ToolStop,
): Promise<readonly StateWrite[]> {
  const state = tracker.getState();
  const hooks = new HookScope(ctx, view.session, { state, signal: stop.signal });
  await hooks.fire('onStateChange', { ...namesOf(call), writes: tracker.getStepWrites(), state });
  return hooks.writes;
}

type Ended =
  | { readonly kind: 'done'; readonly result: CallResult }
  | { readonly kind: 'threw'; readonly error: unknown }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'stopped' };

/** The result or the stop, whichever comes first: a tool or an `outputSchema` that ignores its signal cannot hold the run. */
function race(
  { clock }: EngineContext,
  { timeoutMs }: PlannedCall,
  perform: () => Promise<CallResult>,
  stop: ToolStop,
): Promise<Ended> {
  return new Promise((resolve) => {
    let cancel = (): void => {};
    const onStop = (): void => end({ kind: stop.fromOutside ? 'stopped' : 'timeout' });
    const end = (ended: Ended): void => {
      cancel();
      stop.signal.removeEventListener('abort', onStop);
      resolve(ended);
    };
    if (stop.signal.aborted) return onStop();
    stop.signal.addEventListener('abort', onStop);
    if (timeoutMs !== null)
      cancel = clock.setTimer(timeoutMs, () => stop.abort(new Error('timeout')));
    perform().then(
      (result) => end({ kind: 'done', result }),
      (error: unknown) => end({ kind: 'threw', error }),
    );
  });
}

function withWrites(result: CallResult, writes: readonly StateWrite[]): CallResult {
  return writes.length === 0 ? result : { ...result, writes };
}

/** Null when it was stopped from outside. */
function resultOf({ call, tool }: Invocation, ended: Ended, stop: ToolStop): CallResult | null {
  switch (ended.kind) {
    case 'stopped':
      return null;
    case 'timeout': {
      const message = `The tool ${tool.name} did not finish within ${call.timeoutMs} ms.`;
      return failure('tool_timeout', message);
    }
    case 'threw':
      return stop.fromOutside ? null : failure('tool_execution_failed', errorMessage(ended.error));
    case 'done':
      return ended.result;
  }
}
