// If this fails: a reader misses a chunk or sees one twice, waits for ever, or a stream is read once per reader.
import type { StreamReader } from '@helix-agents/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shareTails, type OpenStream } from '../src/tail/shared-tails.ts';

interface Item {
  readonly sequence: number;
  readonly size: number;
}

/** A stream as managers have it; counts who reads it and how much. */
class Log {
  items: Item[] = [];
  isActive = true;
  opened = 0;
  open = 0;
  read = 0;
  #waiting = new Set<() => void>();

  append(size = 1): void {
    this.items.push({ sequence: (this.items.at(-1)?.sequence ?? 0) + 1, size });
    this.#wake();
  }

  pause(): void {
    this.isActive = false;
    this.#wake();
  }

  reader: OpenStream<Item> = async (_streamId, after) => {
    this.opened += 1;
    this.open += 1;
    let cursor = after;
    let isClosed = false;
    const close = (): void => {
      if (!isClosed) this.open -= 1;
      isClosed = true;
      this.#wake();
    };
    const next = async (): Promise<IteratorResult<Item, undefined>> => {
      for (;;) {
        const item = isClosed ? undefined : this.items.find(({ sequence }) => sequence > cursor);
        if (!item && (isClosed || !this.isActive)) {
          close();
          return { done: true, value: undefined };
        }
        if (item) {
          this.read += 1;
          cursor = item.sequence;
          return { done: false, value: item };
        }
        await new Promise<void>((resolve) => this.#waiting.add(resolve));
      }
    };
    return { close, [Symbol.asyncIterator]: () => ({ next }) };
  };

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }
}

function shared(log: Log, windowBytes = 100): OpenStream<Item> {
  return shareTails(log.reader, { sizeOf: ({ size }) => size, windowBytes });
}

async function readerOf(open: OpenStream<Item>, after = 0): Promise<Reading> {
  const reader = await open('s', after);
  if (!reader) throw new Error('no stream');
  const items = reader[Symbol.asyncIterator]();
  return { reader, take: async () => (await items.next()).value as Item | undefined };
}

interface Reading {
  readonly reader: StreamReader<Item>;
  readonly take: () => Promise<Item | undefined>;
}

describe('readers of one stream', () => {
  it('get the same items, read once, and the end', async () => {
    const log = new Log();
    const open = shared(log);
    const readings = await Promise.all(Array.from({ length: 50 }, () => readerOf(open)));
    const reading = Promise.all(
      readings.map(async ({ take }) => {
        const seen: Item[] = [];
        for (let item = await take(); item; item = await take()) seen.push(item);
        return seen;
      }),
    );
    // Those that came while the first was opening the stream have one of their own, until they meet.
    for (let count = 0; count < 20; count += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      if (count > 0) expect(log.open).toBe(1);
      log.append();
    }
    await new Promise((resolve) => setImmediate(resolve));
    log.pause();
    const [first, ...others] = await reading;
    expect(first?.map(({ sequence }) => sequence)).toEqual(
      log.items.map(({ sequence }) => sequence),
    );
    for (const seen of others) {
      expect(seen).toHaveLength(20);
      for (const [index, item] of seen.entries()) expect(item).toBe(first?.[index]);
    }
    expect(log.read).toBe(20);
    expect(log.open).toBe(0);
  });

  it('that are behind read by themselves until they have come up', async () => {
    const log = new Log();
    const open = shared(log, 3);
    const [slow, fast] = [await readerOf(open), await readerOf(open)];
    for (let count = 0; count < 10; count += 1) log.append();
    for (let count = 0; count < 10; count += 1) await fast.take();
    expect(log.opened).toBe(1);
    for (const sequence of [1, 2, 3, 4, 5, 6, 7]) {
      expect(await slow.take()).toMatchObject({ sequence });
      expect(log.open, 'its own and the tail').toBe(2);
    }
    expect(await slow.take()).toMatchObject({ sequence: 8 });
    expect(log.open).toBe(1);
    const read = log.read;
    for (const sequence of [9, 10]) expect(await slow.take()).toMatchObject({ sequence });
    expect(log.read, 'the last three were kept').toBe(read);
  });

  it('that begin further ahead take the tail along', async () => {
    const log = new Log();
    for (let count = 0; count < 10; count += 1) log.append();
    const open = shared(log, 3);
    const first = await readerOf(open);
    await first.take();
    const ahead = await readerOf(open, 9);
    expect(await ahead.take()).toMatchObject({ sequence: 10 });
    const [next, rest] = [ahead.take(), first.take()];
    expect(await rest).toMatchObject({ sequence: 2 });
    log.append();
    expect(await next).toMatchObject({ sequence: 11 });
  });

  it('leave nothing behind, also while they wait', async () => {
    const log = new Log();
    const open = shared(log);
    const [one, two] = [await readerOf(open), await readerOf(open)];
    const [first, second] = [one.take(), two.take()];
    one.reader.close();
    expect(await first).toBeUndefined();
    log.append();
    expect(await second).toMatchObject({ sequence: 1 });
    const waiting = two.take();
    two.reader.close();
    two.reader.close();
    expect(await waiting).toBeUndefined();
    expect(log.open).toBe(0);
  });

  it('that come after the end ask the stream anew', async () => {
    const log = new Log();
    const open = shared(log);
    const [slow, fast] = [await readerOf(open), await readerOf(open)];
    log.append();
    await fast.take();
    log.pause();
    expect(await fast.take()).toBeUndefined();
    log.isActive = true;
    const again = await readerOf(open, 1);
    const next = again.take();
    log.append();
    expect(await next).toMatchObject({ sequence: 2 });
    expect(await slow.take()).toMatchObject({ sequence: 1 });
    expect(await slow.take()).toMatchObject({ sequence: 2 });
  });

  it('see a gap as the stream has it', async () => {
    const log = new Log();
    const open = shared(log);
    const [one, two] = [await readerOf(open), await readerOf(open)];
    const [first, second] = [one.take(), two.take()];
    log.append();
    await Promise.all([first, second]);
    log.items = [{ sequence: 7, size: 1 }];
    log.append();
    for (const { take } of [one, two]) {
      expect(await take()).toMatchObject({ sequence: 7 });
      expect(await take()).toMatchObject({ sequence: 8 });
    }
  });

  it('hear of a fault, and a new one may have more luck', async () => {
    const log = new Log();
    let isBroken = true;
    const open = shareTails<Item>(
      async (streamId, after) => {
        const reader = await log.reader(streamId, after);
        if (!isBroken || !reader) return reader;
        const next = (): Promise<never> => Promise.reject(new Error('the store is gone'));
        return { close: () => reader.close(), [Symbol.asyncIterator]: () => ({ next }) };
      },
      { sizeOf: () => 1, windowBytes: 10 },
    );
    const readings = [await readerOf(open), await readerOf(open)];
    for (const fault of await Promise.allSettled(readings.map(({ take }) => take()))) {
      expect(fault).toMatchObject({ status: 'rejected', reason: { message: 'the store is gone' } });
    }
    expect(log.open).toBe(0);
    isBroken = false;
    log.append();
    expect(await (await readerOf(open)).take()).toMatchObject({ sequence: 1 });
  });

  it('is none when there is no stream', async () => {
    const open = shareTails<Item>(async () => null, { sizeOf: () => 1, windowBytes: 10 });
    expect(await open('s', 0)).toBeNull();
    const broken = shareTails<Item>(() => Promise.reject(new Error('gone')), {
      sizeOf: () => 1,
      windowBytes: 10,
    });
    await expect(broken('s', 0)).rejects.toThrow('gone');
  });
});

it('gives each reader exactly the rest, whatever they do and in whatever order', async () => {
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('append' as const), size: fc.nat(5) }) },
    { weight: 6, arbitrary: fc.record({ do: fc.constant('take' as const), who: fc.nat(5) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('open' as const), from: fc.nat(100) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('close' as const), who: fc.nat(5) }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const log = new Log();
      const open = shared(log, 4);
      const all: { from: number; seen: Promise<Item | undefined>[]; reading: Reading }[] = [];
      for (const each of steps) {
        if (each.do === 'append') log.append(each.size);
        else if (each.do === 'open') {
          const from = each.from % (log.items.length + 1);
          all.push({ from, seen: [], reading: await readerOf(open, from) });
        } else {
          const one = all[each.who];
          if (each.do === 'close') one?.reading.reader.close();
          // One at a time: what it waits for may come only later.
          else one?.seen.push(takeAfter(one.seen.at(-1), one.reading));
        }
        await new Promise((resolve) => setImmediate(resolve));
      }
      log.pause();
      for (const { from, seen, reading } of all) {
        const got = (await Promise.all(seen)).flatMap((item) => (item ? [item.sequence] : []));
        expect(got).toEqual(got.map((_, index) => from + index + 1));
        reading.reader.close();
      }
      expect(log.open).toBe(0);
    }),
    { numRuns: 300, seed: 20261116 },
  );
}, 60_000);

async function takeAfter(
  before: Promise<unknown> | undefined,
  { take }: Reading,
): Promise<Item | undefined> {
  await before;
  return take();
}
