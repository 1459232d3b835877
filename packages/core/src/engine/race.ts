/**
 * Waits for code of the application: a schema, a rule, a hook. The wait always ends: with the result, with the time limit
 * or with the stop of the run.
 */
import { parseWith, type Parse } from '../define/parse-with.ts';
import { HelixError } from '../errors/helix-error.ts';
import type { Clock } from './clock.ts';
import type { EngineContext } from './context.ts';

export type Raced<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'late' }
  | { readonly kind: 'stopped' };

export interface RaceLimits {
  readonly ms: number;
  readonly signal?: AbortSignal | undefined;
}

/** The first of these to happen. Rejects if `work` does; a later result of `work` is dropped. */
export function race<T>(
  clock: Clock,
  work: () => Promise<T> | T,
  { ms, signal }: RaceLimits,
): Promise<Raced<T>> {
  if (signal?.aborted) return Promise.resolve({ kind: 'stopped' });
  return new Promise((resolve, reject) => {
    const cancel = clock.setTimer(ms, () => end(() => resolve({ kind: 'late' })));
    const onStop = (): void => end(() => resolve({ kind: 'stopped' }));
    const end = (settle: () => void): void => {
      cancel();
      signal?.removeEventListener('abort', onStop);
      settle();
    };
    signal?.addEventListener('abort', onStop);
    const perform = async (): Promise<T> => work();
    perform().then(
      (value) => end(() => resolve({ kind: 'done', value })),
      (error: unknown) => end(() => reject(error)),
    );
  });
}

/**
 * The run was stopped while its operation waited for code of the application. The operation ends without a record, as if it
 * had not begun.
 */
export class RunStopped extends Error {
  override readonly name = 'RunStopped';
}

/** The result of `work` in its time. Throws when the run stops meanwhile, and `late` when it takes too long. */
export async function inTime<T>(
  clock: Clock,
  work: () => Promise<T> | T,
  limits: RaceLimits,
  late: () => HelixError,
): Promise<T> {
  const raced = await race(clock, work, limits);
  switch (raced.kind) {
    case 'done':
      return raced.value;
    case 'stopped':
      throw new RunStopped('The run was stopped.');
    case 'late':
      throw late();
  }
}

/** Parses within the time that a schema has. Throws when the run stops meanwhile, and when the schema takes too long. */
export function parserFor(
  { clock, limits }: Pick<EngineContext, 'clock' | 'limits'>,
  signal?: AbortSignal,
  ms: number = limits.schemaTimeoutMs,
): Parse {
  const late = (): HelixError =>
    new HelixError({
      code: 'schema_timeout',
      message: `A schema did not answer within ${ms} ms; see that every async check in it settles.`,
      statusCode: 503,
    });
  return (schema, value) => inTime(clock, () => parseWith(schema, value), { ms, signal }, late);
}

export function isLateSchema(error: unknown): boolean {
  return HelixError.isInstance(error) && error.code === 'schema_timeout';
}
