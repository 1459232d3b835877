// If this fails: a slow reader fills the server's memory, or a connection that is gone keeps a timer or its source.
import { describe, expect, it, vi } from 'vitest';
import { eventStream } from '../src/index.ts';

const quiet = {
  heartbeatMs: 60_000,
  bufferBytes: 20_000,
  stallMs: 60_000,
  retryMs: null,
  onHeartbeat: () => undefined,
  onStall: () => undefined,
};

function endless(size: number): { source: Parameters<typeof eventStream>[0]; made: () => number } {
  let made = 0;
  async function* frames(): AsyncGenerator<Uint8Array> {
    for (;;) {
      made += 1;
      yield new Uint8Array(size);
    }
  }
  return { source: { frames: frames(), close: () => undefined }, made: () => made };
}

/** Frames that never come, until it is closed. */
function silent(): { source: Parameters<typeof eventStream>[0]; closed: () => boolean } {
  let end = (): void => undefined;
  let isClosed = false;
  const ended = new Promise<IteratorResult<Uint8Array, undefined>>((resolve) => {
    end = () => resolve({ done: true, value: undefined });
  });
  const close = (): void => {
    isClosed = true;
    end();
  };
  return { source: { frames: { next: () => ended }, close }, closed: () => isClosed };
}

const timers = (): number =>
  process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;

describe('an event stream (STRM-05)', () => {
  it('I1: keeps a bounded number of bytes for a reader that does not read', async () => {
    const { source, made } = endless(5_000);
    const reader = eventStream(source, quiet).getReader();
    await new Promise((resolve) => setImmediate(resolve));
    // What fits, and the one that filled it.
    expect(made()).toBe(4);
    for (let reads = 0; reads < 3; reads += 1) await reader.read();
    await new Promise((resolve) => setImmediate(resolve));
    expect(made()).toBeLessThanOrEqual(7);
    await reader.cancel();
  });

  it('I1: sends a large frame in pieces that share its memory', async () => {
    const frame = new Uint8Array(200_000).fill(7);
    const frames = [frame].values();
    const source = { frames: { next: async () => frames.next() }, close: () => undefined };
    const pieces: Uint8Array[] = [];
    for await (const piece of eventStream(source, quiet)) pieces.push(piece);
    expect(Math.max(...pieces.map((piece) => piece.byteLength))).toBe(65_536);
    expect(pieces.every((piece) => piece.buffer === frame.buffer)).toBe(true);
    expect(Buffer.concat(pieces)).toEqual(Buffer.from(frame));
  });

  it('I1: makes nothing ahead of its reader when it has no buffer', async () => {
    const { source, made } = endless(10);
    const reader = eventStream(source, { ...quiet, bufferBytes: 0 }).getReader();
    await new Promise((resolve) => setImmediate(resolve));
    expect(made()).toBe(0);
    await reader.read();
    await new Promise((resolve) => setImmediate(resolve));
    expect(made()).toBe(1);
    await reader.cancel();
  });

  it('I2: cuts off a reader that takes nothing for too long, and says so', async () => {
    const onStall = vi.fn();
    const { source } = endless(5_000);
    const reader = eventStream(source, { ...quiet, stallMs: 20, onStall }).getReader();
    await vi.waitFor(() => expect(onStall).toHaveBeenCalledOnce(), { timeout: 30_000 });
    await expect(reader.closed).rejects.toThrow('took nothing');
  });

  it.each([0, 20_000])('I2: beats for a reader that waits, with a buffer of %i', async (bytes) => {
    const onHeartbeat = vi.fn();
    const { source } = silent();
    const options = { ...quiet, bufferBytes: bytes, heartbeatMs: 20, stallMs: 40, onHeartbeat };
    const reader = eventStream(source, options).getReader();
    for (let beats = 0; beats < 4; beats += 1) {
      const { value } = await reader.read();
      expect(new TextDecoder().decode(value)).toBe(': heartbeat\n\n');
    }
    expect(onHeartbeat.mock.calls.length).toBeGreaterThanOrEqual(4);
    await reader.cancel();
  });

  it('I3: frees timer and source when its reader leaves, its frames end, or they fail', async () => {
    const before = timers();
    const left = silent();
    await eventStream(left.source, quiet).cancel();
    expect(left.closed()).toBe(true);
    const ended = silent();
    ended.source.close();
    expect(await new Response(eventStream(ended.source, quiet)).text()).toBe('');
    const close = vi.fn();
    const failing = { next: () => Promise.reject(new Error('the store is gone')) };
    const broken = eventStream({ frames: failing, close }, quiet);
    await expect(broken.getReader().read()).rejects.toThrow('the store is gone');
    expect(close).toHaveBeenCalled();
    expect(timers()).toBeLessThanOrEqual(before);
  });
});
