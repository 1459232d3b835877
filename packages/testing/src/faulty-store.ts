import type { CommitPlan, SessionStore } from '@helix-agents/core';

/** `fail-before`: nothing was written. `fail-after`: everything was, and the reply is lost. */
export type StoreFault = 'pass' | 'fail-before' | 'fail-after';

/** Asked once per call. May take its time: the call waits. */
export type StoreFaultHook = (
  method: keyof SessionStore,
  plan?: CommitPlan,
) => StoreFault | Promise<StoreFault>;

/** What a faulty store throws. To its caller the two kinds look the same. */
export class InjectedFaultError extends Error {
  override readonly name: string = 'InjectedFaultError';
  readonly method: string;

  constructor(method: string) {
    super(`${method}: connection lost (injected)`);
    this.method = method;
  }
}

/**
 * The same store behind a bad line.
 *
 * @example
 * const store = faultyStore(real, (method) => (method === 'commit' ? 'fail-after' : 'pass'));
 */
export function faultyStore<S extends SessionStore>(store: S, hook: StoreFaultHook): S {
  return new Proxy(store, {
    get(target, property, receiver) {
      const value: unknown = Reflect.get(target, property, receiver);
      if (typeof value !== 'function') return value;
      const method = property as keyof SessionStore;
      return async (...args: unknown[]): Promise<unknown> => {
        const plan = method === 'commit' ? (args[0] as CommitPlan) : undefined;
        const fault = await hook(method, plan);
        if (fault === 'fail-before') throw new InjectedFaultError(method);
        const reply: unknown = await Reflect.apply(value, target, args);
        if (fault === 'fail-after') throw new InjectedFaultError(method);
        return reply;
      };
    },
  });
}
