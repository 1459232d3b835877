import type { Databases } from '@helix-agents/core/host';
import type { CommitPlan, SessionRef, SessionStore } from '@helix-agents/core/store';

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

/** A call of a method on its way to the object it is meant for. */
export interface InterceptedCall {
  readonly method: string;
  readonly args: readonly unknown[];
  /** Carries it out. */
  readonly perform: () => Promise<unknown>;
}

/** The same object; each call of a method goes through `around`. */
export function intercept<T extends object>(
  target: T,
  around: (call: InterceptedCall) => Promise<unknown>,
): T {
  return new Proxy(target, {
    get(_, property): unknown {
      const value: unknown = Reflect.get(target, property);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) =>
        around({
          method: String(property),
          args,
          perform: async () => Reflect.apply(value, target, args) as unknown,
        });
    },
  });
}

/** Puts `wrap` around every store. Two sessions share a database when their stores are one object, and still do. */
export function wrapDatabases(
  databases: Databases,
  wrap: (store: SessionStore, ref: SessionRef) => SessionStore,
): Databases {
  const known = new WeakMap<SessionStore, SessionStore>();
  return {
    of(ref) {
      const store = databases.of(ref);
      const wrapped = known.get(store) ?? wrap(store, ref);
      known.set(store, wrapped);
      return wrapped;
    },
  };
}

/** Carries a call out, or not, as the fault says. */
export async function performWith(
  fault: StoreFault,
  { method, perform }: InterceptedCall,
): Promise<unknown> {
  if (fault === 'fail-before') throw new InjectedFaultError(method);
  const reply = await perform();
  if (fault === 'fail-after') throw new InjectedFaultError(method);
  return reply;
}

/** The plan of a commit; of no other call. */
export function planOf({ method, args }: InterceptedCall): CommitPlan | undefined {
  return method === 'commit' ? (args[0] as CommitPlan) : undefined;
}

/**
 * The same store over a connection that fails as the hook says.
 *
 * @example
 * const store = faultyStore(real, (method) => (method === 'commit' ? 'fail-after' : 'pass'));
 */
export function faultyStore<S extends SessionStore>(store: S, hook: StoreFaultHook): S {
  return intercept(store, async (call) =>
    performWith(await hook(call.method as keyof SessionStore, planOf(call)), call),
  );
}
