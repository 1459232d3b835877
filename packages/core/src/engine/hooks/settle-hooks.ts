import type { EngineContext } from '../context.ts';
import type { StepView } from '../rows/step-view.ts';
import { answerDetailsOf, toolMessageFrom } from '../../messages/builders.ts';
import type { StateWrite } from '../../state/state-write.ts';
import type { CallResult, PlannedCall, SessionRow } from '../../store/rows.ts';
import { frozenCopy } from '../../util/frozen-copy.ts';
import { HookScope } from './fire-hooks.ts';
import { settledCall } from './settled-call.ts';
import type { HookName } from '../../define/hooks.ts';

const FIRED_HERE: readonly HookName[] = [
  'onMessage',
  'afterTool',
  'afterSubAgent',
  'onCallSettled',
];

/** Whether a settle of this session fires hooks before its commit. */
export function hasSettleHooks(ctx: EngineContext, session: SessionRow): boolean {
  const scope = new HookScope(ctx, session);
  return FIRED_HERE.some((name) => scope.has(name));
}

/**
 * Hooks of one settle, fired before the commit that appends the messages: the assistant's, then per result in call
 * order. Kept over the retries of that settle, so that a refused commit does not fire them again.
 */
export class SettleHooks {
  readonly #ctx: EngineContext;
  readonly #fired = new Set<string>();
  #scope: HookScope | null = null;

  constructor(ctx: EngineContext) {
    this.#ctx = ctx;
  }

  /** Returns what the hooks changed. */
  async beforeCommit(
    view: StepView,
    results: readonly CallResult[],
  ): Promise<readonly StateWrite[]> {
    const scope = this.#scopeOf(view);
    if (!FIRED_HERE.some((name) => scope.has(name))) return scope.writes;
    await this.#assistant(scope, view);
    for (const [position, call] of (view.plan?.calls ?? []).entries()) {
      const result = results[position];
      if (!result) continue;
      await this.#once(`result:${call.index}`, () => fireResult(scope, call, result));
      await this.#settled(scope, view, call, result);
    }
    return scope.writes;
  }

  /** `accepted`: the answers that the suspension takes in. */
  async beforeSuspend(
    view: StepView,
    accepted: readonly { readonly call: PlannedCall; readonly result: CallResult }[],
  ): Promise<readonly StateWrite[]> {
    const scope = this.#scopeOf(view);
    await this.#assistant(scope, view);
    await this.#allSettled(
      scope,
      view,
      new Map(accepted.map(({ call, result }) => [call.index, result])),
    );
    return scope.writes;
  }

  async beforeInterrupt(view: StepView): Promise<readonly StateWrite[]> {
    const scope = this.#scopeOf(view);
    await this.#allSettled(scope, view, new Map());
    return scope.writes;
  }

  async #allSettled(
    scope: HookScope,
    view: StepView,
    accepted: ReadonlyMap<number, CallResult>,
  ): Promise<void> {
    if (!scope.has('onCallSettled')) return;
    for (const call of view.plan?.calls ?? []) {
      const result = view.results.get(call.index) ?? accepted.get(call.index);
      if (result) await this.#settled(scope, view, call, result);
    }
  }

  /** Once over all runs of the step: a result is taken in by the run that recorded it. */
  async #settled(
    scope: HookScope,
    view: StepView,
    call: PlannedCall,
    result: CallResult,
  ): Promise<void> {
    const { turn } = view.session;
    if ((result.run ?? (call.result ? view.plan?.run : turn) ?? turn) !== turn) return;
    await this.#once(`settled:${call.index}`, () =>
      scope.fire('onCallSettled', settledCall(view, call, frozenCopy(result))),
    );
  }

  async #assistant(scope: HookScope, view: StepView): Promise<void> {
    const message = view.plan?.message;
    if (!message || view.session.stepMessage !== null) return;
    await this.#once('assistant', () => scope.fire('onMessage', { message }));
  }

  async #once(key: string, fire: () => Promise<void>): Promise<void> {
    if (this.#fired.has(key)) return;
    this.#fired.add(key);
    await fire();
  }

  #scopeOf(view: StepView): HookScope {
    this.#scope ??= new HookScope(this.#ctx, view.session);
    return this.#scope;
  }
}

/**
 * A denial fires `onMessage` and no `afterTool`, because nothing ran. Hooks get copies: the commit that follows writes what was
 * recorded or answered, whatever they do to them.
 */
async function fireResult(
  scope: HookScope,
  call: PlannedCall,
  recorded: CallResult,
): Promise<void> {
  const result = frozenCopy(recorded);
  const { outcome } = result;
  const message = Object.freeze(toolMessageFrom(call, outcome, result));
  await scope.fire('onMessage', { message });
  const payload = { toolCallId: call.callId, toolName: call.toolName, outcome };
  if (call.child) {
    await scope.fire('afterSubAgent', { ...payload, subAgentType: call.child.agentType });
  } else if (outcome.success || outcome.error.code !== 'tool_approval_denied') {
    await scope.fire('afterTool', { ...payload, ...result.ran, ...answerDetailsOf(result) });
  }
}
