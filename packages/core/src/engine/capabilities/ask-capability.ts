import type { Capability, CapabilitySession } from '../../capability/types.ts';
import { HelixError } from '../../errors/helix-error.ts';
import type { EngineContext } from '../context.ts';
import { race, RunStopped, type Raced } from '../race.ts';

export type CapabilityPart = 'tools' | 'prompt' | 'beforeStep';

/**
 * Calls a function of a capability within its time. It fails with `capability_failed` or `capability_timeout`. Why it failed is told to the log alone: the error is stored with the
 * run and streamed to browsers.
 */
export async function askCapability<T>(
  { clock, limits, logger }: Pick<EngineContext, 'clock' | 'limits' | 'logger'>,
  { name, timeoutMs }: Capability,
  part: CapabilityPart,
  { sessionId, runId, abortSignal }: CapabilitySession,
  work: () => T | Promise<T>,
): Promise<T> {
  const ms = timeoutMs ?? limits.capabilityTimeoutMs;
  const fields = { capability: name, part, sessionId, runId };
  let raced: Raced<T>;
  try {
    raced = await race(clock, work, { ms, signal: abortSignal });
  } catch (error) {
    logger.error('capability.failed', { ...fields, error: String(error) });
    throw new HelixError({
      code: 'capability_failed',
      message: `The capability "${name}" failed (${part}); the log of the server says why.`,
      cause: error,
    });
  }
  switch (raced.kind) {
    case 'done':
      return raced.value;
    case 'stopped':
      throw new RunStopped('The run was stopped.');
    case 'late': {
      logger.error('capability.late', { ...fields, timeoutMs: ms });
      throw new HelixError({
        code: 'capability_timeout',
        message: `The capability "${name}" (${part}) did not answer within ${ms} ms.`,
      });
    }
  }
}
