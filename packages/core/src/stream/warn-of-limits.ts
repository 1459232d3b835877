import type { Logger } from '../logger.ts';
import type { StreamManager } from './stream-manager.ts';

/** Optional methods without which a feature is missing. */
const NOTICED = [
  'append',
  'createResumableReader',
  'pauseStream',
  'reactivateStream',
] as const satisfies readonly (keyof StreamManager)[];

/** Without the other optional methods there are only more writes, or an error where one is needed. */
export function warnOfLimits(streams: StreamManager, logger: Logger): void {
  const missing = NOTICED.filter((method) => !streams[method]);
  if (missing.length === 0) return;
  logger.warn('stream.limited', {
    missing,
    message:
      'Runs go on without them. append: a chunk may be said twice. createResumableReader: readers begin at the first chunk. ' +
      'pauseStream: a stream stays open while people are asked. reactivateStream: later turns cannot write to a stream that has ended.',
  });
}
