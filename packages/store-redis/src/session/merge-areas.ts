import type { RedisDatabase } from '../database.ts';
import { createScript } from '../script.ts';

/** An entry of a sorted index, ordered by score, then by member. */
export interface IndexEntry {
  readonly score: number;
  readonly member: string;
}

const BATCH = 64;

/** A script, because its reply has members and scores alternating in every protocol version. ARGV: 1 lowest score, 2 offset, 3 count. */
const readRangeScript = createScript(`
return redis.call('ZRANGEBYSCORE', KEYS[1], ARGV[1], '+inf', 'WITHSCORES', 'LIMIT', ARGV[2], ARGV[3])
`);

/**
 * The entries of an index in all partitions, in order, after a given one. Fetched in batches: a page of a long list does not read the
 * whole list.
 */
export async function* mergeAreas(
  database: RedisDatabase,
  index: string,
  after: IndexEntry | null,
): AsyncGenerator<IndexEntry> {
  const sources = database.keys.areas.map((area) =>
    openSource(database, `${area}:${index}`, after),
  );
  await Promise.all(sources.map((source) => source.fill()));
  for (;;) {
    let first: IndexSource | null = null;
    for (const source of sources) {
      const entry = source.peek();
      const best = first?.peek();
      if (entry && (!best || compareEntries(entry, best) < 0)) first = source;
    }
    const entry = first?.peek();
    if (!first || !entry) return;
    yield entry;
    first.drop();
    await first.fill();
  }
}

/** The order of Redis: by score, then by the bytes of the member. */
export function compareEntries(a: IndexEntry, b: IndexEntry): number {
  return a.score - b.score || Buffer.compare(Buffer.from(a.member), Buffer.from(b.member));
}

interface IndexSource {
  peek(): IndexEntry | undefined;
  drop(): void;
  /** Fetches if it is empty and there may be more. */
  fill(): Promise<void>;
}

function openSource(database: RedisDatabase, key: string, after: IndexEntry | null): IndexSource {
  let entries: IndexEntry[] = [];
  let last = after;
  let over = false;
  const fetch = async (offset: number): Promise<number> => {
    const from = last === null ? '-inf' : `${last.score}`;
    const reply = await readRangeScript.run(database.client, key, [from, offset, BATCH]);
    const found = pairs(reply as string[]);
    entries = found.filter((entry) => last === null || compareEntries(entry, last) > 0);
    return found.length;
  };
  return {
    peek: () => entries[0],
    drop: () => void (last = entries.shift() ?? last),
    async fill() {
      // Entries with the score of the last one are fetched again, and may fill a whole batch.
      for (let offset = 0; entries.length === 0 && !over; offset += BATCH) {
        over = (await fetch(offset)) < BATCH && entries.length === 0;
      }
    },
  };
}

function pairs(flat: readonly string[]): IndexEntry[] {
  const entries: IndexEntry[] = [];
  for (let at = 0; at < flat.length; at += 2) {
    entries.push({ member: flat[at] as string, score: Number(flat[at + 1]) });
  }
  return entries;
}
