import { describe, it, onTestFinished } from 'vitest';
import { dedupe } from './dedupe.ts';
import type { OpenStreams, TestStreamManagerOptions } from './harness.ts';
import { largeChunks } from './large-chunks.ts';
import { liveTail } from './live-tail.ts';
import { markers } from './markers.ts';
import { streamsReopen, streamsShared } from './other-connections.ts';
import { reconnectAtEveryCursor } from './reconnect-at-every-cursor.ts';
import { retention } from './retention.ts';
import { sequencesAreGapless } from './sequences-are-gapless.ts';
import { streamLife } from './stream-life.ts';

/**
 * What every full stream manager must hold to. Registers vitest tests; each opens its own, empty one.
 *
 * @example
 * testStreamManager({
 *   name: 'memory',
 *   create: async () => ({ streams: new InMemoryStreamManager(), close: async () => {} }),
 *   capabilities: { shared: false, persistent: false },
 * });
 */
export function testStreamManager(options: TestStreamManagerOptions): void {
  const { name, capabilities } = options;
  const open: OpenStreams = async () => {
    const opened = await options.create();
    onTestFinished(() => opened.close());
    return opened;
  };
  describe(`stream manager: ${name}`, () => {
    for (const property of properties) property(open);
    if (capabilities.persistent) streamsReopen(open);
    else it('goes on after a reopen', ({ skip }) => skip(`${name}: persistent is false`));
    if (capabilities.shared) streamsShared(open);
    else it('is shared by two connections', ({ skip }) => skip(`${name}: shared is false`));
  });
}

const properties: readonly ((open: OpenStreams) => void)[] = [
  sequencesAreGapless,
  reconnectAtEveryCursor,
  dedupe,
  liveTail,
  largeChunks,
  streamLife,
  markers,
  retention,
];
