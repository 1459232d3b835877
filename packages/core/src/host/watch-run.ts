import type { LoopRun } from '../loop/host.ts';
import type { EngineContext, OperationScope, StopReason } from '../engine/context.ts';

/** Watches one run: renews its lease, and turns what stops it into a signal. */
export interface RunWatch {
  readonly scope: OperationScope;
  readonly stopReason: () => StopReason | null;
  stop(reason: StopReason): void;
  /** Looks now instead of at the next poll. */
  check(): void;
  close(): void;
}

/** What the host of one operation knows of its end: a shutdown, or another attempt at it. */
export interface OuterScope {
  readonly signal: AbortSignal;
  /** Why the signal aborted. */
  readonly stopReason: () => StopReason;
  /** 1 at first. */
  readonly attempt: number;
}

/** Performs one operation that runs code of the application, in a host whose runs are watched by their operations only. */
export async function watchOperation<T>(
  ctx: EngineContext,
  run: LoopRun,
  { signal, stopReason, attempt }: OuterScope,
  work: (scope: OperationScope) => Promise<T>,
): Promise<T> {
  const watch = watchRun(ctx, run);
  const stop = (): void => watch.stop(stopReason());
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await work({ ...watch.scope, attempt });
  } finally {
    signal.removeEventListener('abort', stop);
    watch.close();
  }
}

/** Polls the store for interrupts and lost ownership, renews the lease at a third of its time. */
export function watchRun(ctx: EngineContext, run: LoopRun): RunWatch {
  const controller = new AbortController();
  const store = ctx.databases.of(run);
  const { leaseMs, owner } = ctx.identity;
  let reason: StopReason | null = null;
  let renewedAt = ctx.clock.now();
  let closed = false;
  let looking = false;
  let cancel = (): void => {};

  const stop = (why: StopReason): void => {
    if (reason !== null) return;
    reason = why;
    controller.abort(new Error(`The run was stopped: ${why}.`));
  };
  const look = async (): Promise<void> => {
    const now = ctx.clock.now();
    const due = leaseMs !== null && now - renewedAt >= leaseMs / 3;
    const extendMs = due ? leaseMs : null;
    const state = await store.renewLease({ ...run, owner, extendMs, now });
    if (due && state.owned) renewedAt = now;
    if (closed) return;
    if (!state.owned) stop('lost');
    else if (state.interrupted) stop('interrupted');
  };
  const tick = (): void => {
    cancel();
    if (closed || looking) return;
    looking = true;
    look()
      .catch((error: unknown) =>
        ctx.logger.warn('run.watch_failed', { ...run, error: String(error) }),
      )
      .finally(() => {
        looking = false;
        if (!closed) cancel = ctx.clock.setTimer(ctx.limits.pollMs, tick);
      });
  };
  const mayStream = async (): Promise<boolean> => {
    const isFresh = leaseMs === null || ctx.clock.now() - renewedAt < leaseMs;
    // A store that does not respond does not mean that this owner has lost its run.
    if (!isFresh) await look().catch(() => undefined);
    return reason !== 'lost';
  };
  cancel = ctx.clock.setTimer(ctx.limits.pollMs, tick);
  return {
    scope: { signal: controller.signal, stopReason: () => reason, mayStream },
    stopReason: () => reason,
    stop,
    check: tick,
    close() {
      closed = true;
      cancel();
    },
  };
}
