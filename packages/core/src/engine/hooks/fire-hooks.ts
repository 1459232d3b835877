import { sendChunk, sendEvent } from '../announce/send-event.ts';
import type { EngineContext } from '../context.ts';
import { race } from '../race.ts';
import { HelixError } from '../../errors/helix-error.ts';
import type { JsonValue } from '../../json.ts';
import { ImmerStateTracker } from '../../state/immer-state-tracker.ts';
import type { StateWrite } from '../../state/state-write.ts';
import type { SessionRow } from '../../store/rows.ts';
import type { StreamChunk } from '../../stream/chunks.ts';
import {
  HOOK_TABLE,
  type AgentHooks,
  type HookContext,
  type HookFunctions,
  type HookName,
  type HookPayloads,
} from '../../define/hooks.ts';
import type { HookWrappers, WrappedWork, WrapperName } from '../../define/hook-wrappers.ts';
import { makerOf, parentIdOf } from '../../store/session-place.ts';
import { storedTrace, turnOf } from '../../trace/trace-context.ts';
import { workAround } from './work-around.ts';

const CUT_BY_A_STOP: ReadonlySet<HookName> = new Set(['beforeLLMCall', 'beforeTool']);
const NEVER_ABORTED = new AbortController().signal;

/**
 * Fires hooks around one operation. Changes of state made by hooks that fire before its commit are collected in
 * `writes` and are part of that commit.
 */
export class HookScope {
  readonly #ctx: EngineContext;
  readonly #session: SessionRow;
  readonly #hooks: readonly AgentHooks[];
  readonly #signal: AbortSignal;
  /** With the changes of the hooks that have returned. */
  #state: JsonValue;
  #writes: readonly StateWrite[] = [];

  constructor(
    ctx: EngineContext,
    session: SessionRow,
    options: { state?: JsonValue; signal?: AbortSignal } = {},
  ) {
    this.#ctx = ctx;
    this.#session = session;
    this.#hooks = ctx.hooksFor(session);
    this.#state = options.state ?? session.customState;
    this.#signal = options.signal ?? NEVER_ABORTED;
  }

  /** What hooks have changed so far. */
  get writes(): readonly StateWrite[] {
    return this.#writes;
  }

  has(name: HookName): boolean {
    return this.#hooks.some((hooks) => hooks[name] !== undefined);
  }

  /** One after the other, the executor's first. Never rejects. */
  async fire<N extends HookName>(name: N, payload: HookPayloads[N]): Promise<void> {
    for (const hooks of this.#hooks) {
      const hook: HookFunctions[N] = hooks[name];
      if (!hook) continue;
      const changes = new HookChanges(this.#state, HOOK_TABLE[name].when === 'before');
      try {
        await this.#within(name, async () => hook(payload, this.#context(name, changes)));
        const { state, writes } = changes.close();
        this.#state = state;
        this.#writes = [...this.#writes, ...writes];
      } catch (error) {
        changes.close();
        this.#failed(name, error);
      }
    }
  }

  /** Does the work inside of the wrappers of that name, the executor's outermost. It comes to what the work itself comes to. */
  around<N extends WrapperName>(
    name: N,
    call: () => WrappedWork[N]['call'],
    work: () => Promise<WrappedWork[N]['outcome']>,
  ): Promise<WrappedWork[N]['outcome']> {
    const wrap = (inner: typeof work, hooks: AgentHooks): typeof work => {
      const wrapper: HookWrappers[N] = hooks[name];
      if (!wrapper) return inner;
      const context = this.#context(name, new HookChanges(this.#state, false));
      const enter = (once: typeof work): unknown => wrapper(call(), once, context);
      return () => workAround(this.#ctx, enter, inner, (error) => this.#failed(name, error));
    };
    return this.#hooks.reduceRight(wrap, work)();
  }

  async #within(name: HookName, work: () => Promise<void>): Promise<void> {
    const { hookTimeoutMs: ms } = this.#ctx.limits;
    // Once a run is stopped, hooks before what will not happen are not waited for; those after it are.
    const signal = CUT_BY_A_STOP.has(name) && !this.#signal.aborted ? this.#signal : undefined;
    const { kind } = await race(this.#ctx.clock, work, { ms, signal });
    if (kind === 'late') throw new Error(`The hook ${name} did not return within ${ms} ms.`);
    if (kind === 'stopped')
      throw new Error(`The hook ${name} had not returned when its run was stopped.`);
  }

  #failed(hook: HookName | WrapperName, error: unknown): void {
    const { sessionId, runId } = this.#session;
    this.#ctx.logger.error('hook.failed', { hook, sessionId, runId, error: String(error) });
  }

  #context(name: HookName | WrapperName, changes: HookChanges): HookContext {
    const session = this.#session;
    const add = (chunk: StreamChunk): Promise<void> =>
      this.#ctx.announcer.add(session.streamId, [{ chunk }]);
    const parentAgentId = parentIdOf(session);
    const parent = makerOf(session);
    return {
      sessionId: session.sessionId,
      rootId: session.rootId,
      runId: session.runId,
      run: session.turn,
      turn: turnOf(session),
      agentType: session.agentType,
      streamId: session.streamId,
      stepId: session.stepId,
      stepCount: session.stepCount,
      epoch: session.epoch,
      ...(parentAgentId === null ? {} : { parentAgentId }),
      ...(parent && { parent }),
      trace: storedTrace(session.metadata),
      ...(session.userId === null ? {} : { userId: session.userId }),
      tags: session.tags,
      metadata: session.metadata,
      abortSignal: this.#signal,
      getState: <T>() => changes.state as T,
      updateState: <T>(change: (draft: T) => void) => {
        changes.update(name, (draft) => change(draft as T));
      },
      emit: (chunk) => sendChunk(this.#ctx, chunk, add),
      emitCustom: (eventName, data) =>
        sendEvent(this.#ctx, session, { name: eventName, data }, add),
    };
  }
}

/** Changes of state by one call of one hook: all of them count, or none if it throws or takes too long. */
class HookChanges {
  readonly #tracker: ImmerStateTracker<JsonValue>;
  #open: boolean;

  constructor(state: JsonValue, open: boolean) {
    this.#tracker = new ImmerStateTracker<JsonValue>(state, { arrayDeltaMode: true });
    this.#open = open;
  }

  get state(): JsonValue {
    return this.#tracker.getState();
  }

  update(name: HookName | WrapperName, change: (draft: JsonValue) => void): void {
    if (!this.#open) throw tooLate(name);
    this.#tracker.update(change);
  }

  close(): { readonly state: JsonValue; readonly writes: readonly StateWrite[] } {
    this.#open = false;
    return { state: this.state, writes: this.#tracker.getStepWrites() };
  }
}

function tooLate(name: HookName | WrapperName): HelixError {
  const isAfter = name in HOOK_TABLE && HOOK_TABLE[name as HookName].when === 'after';
  const why = isAfter
    ? `${name} fires after its commit and cannot change state; use a hook that fires before one (see HOOK_TABLE).`
    : `${name} has ended, or ran out of time, and cannot change state any more; await what it does.`;
  return new HelixError({ code: 'state_update_too_late', message: why });
}

/** Executor's hooks first, then the agent's, then those of the call. */
export function composeHooks(...parts: readonly (AgentHooks | undefined)[]): readonly AgentHooks[] {
  return parts.filter((hooks) => hooks !== undefined);
}
