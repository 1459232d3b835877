import type { StreamClose, StreamEntry } from '@helix-agents/core/store';
import type { SqlDriver } from '../driver.ts';
import { renderDiscardSteps, renderResync } from './marker-statements.ts';
import { renderClose } from './status-statements.ts';
import { decodeInfo, renderAppend } from './stream-statements.ts';

export interface AppendWrite {
  /** Whether a stream that is not there is made. */
  readonly create: boolean;
  /** The stream is closed in the same write. */
  readonly how?: StreamClose;
}

/** Writes that number chunks. */
export interface StreamWrites {
  /** Gives the new head, or null without writing when the stream is not active. */
  append(
    streamId: string,
    entries: readonly StreamEntry[],
    now: number,
    write: AppendWrite,
  ): Promise<number | null>;
  discardSteps(streamId: string, stepCount: number, now: number): Promise<void>;
  resync(streamId: string, now: number): Promise<void>;
}

/** Chunks need not survive a power loss: the rows of the session do. */
export function relaxed(streamId: string): { readonly relaxed: true; readonly writer: string } {
  return { relaxed: true, writer: streamId };
}

/** As atomic batches. */
export function createStreamWrites(driver: SqlDriver): StreamWrites {
  return {
    async append(streamId, entries, now, { create, how }) {
      const written = renderAppend(streamId, entries, now, create);
      const closed = how ? [renderClose(streamId, how, now)] : [];
      const results = await driver.batch([...written, ...closed], relaxed(streamId));
      const info = decodeInfo(results[written.length - 1]?.rows[0]);
      return info?.status === 'active' ? info.head : null;
    },
    async discardSteps(streamId, stepCount, now) {
      await driver.batch(renderDiscardSteps(streamId, stepCount, now), relaxed(streamId));
    },
    async resync(streamId, now) {
      await driver.batch(renderResync(streamId, now), relaxed(streamId));
    },
  };
}
