// If this fails: a slow or new reader holds hundreds of large chunks in memory. STRM-05.
import type { StoredChunk } from '@helix-agents/core';
import { LOG_PAGE, LOG_PAGE_BYTES } from '@helix-agents/core/store';
import {
  createSqlStreamStore,
  sqliteDialect,
  type SqlDriver,
  type SqlRow,
} from '@helix-agents/store-sql';
import { textChunk } from '@helix-agents/testing';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { SqliteStreamManager } from '../src/index.ts';

/** A log of chunks of these sizes as a reader gets it, and how many chunks, and bytes of them, came at a time. */
async function readLogOf(sizes: readonly number[]) {
  const database = new DatabaseSync(':memory:');
  onTestFinished(() => database.close());
  const writing = new SqliteStreamManager(database);
  for (const size of sizes) {
    await writing.append('s', [{ chunk: textChunk('x'.repeat(size)) }]);
  }
  await writing.endStream('s');
  const pages: { chunks: number; bytes: number }[] = [];
  const rowsOf = ({ sql, params }: { sql: string; params: readonly (string | number | null)[] }) =>
    database.prepare(sql).all(...params) as SqlRow[];
  const unused = (): never => {
    throw new Error('a reader only reads');
  };
  const driver: SqlDriver = {
    dialect: sqliteDialect,
    canStop: false,
    batch: unused,
    isUniqueViolation: unused,
    all: async (statement) => rowsOf(statement),
    async readBatch(statements) {
      const results = statements.map(rowsOf);
      const texts = results
        .flat()
        .flatMap((row) => (typeof row['chunk'] === 'string' ? [row['chunk']] : []));
      pages.push({ chunks: texts.length, bytes: texts.join('').length });
      return results;
    },
  };
  const read: StoredChunk[] = [];
  const reader = await createSqlStreamStore(driver).createResumableReader('s');
  for await (const stored of reader ?? []) read.push(stored);
  return { read, pages };
}

it('a reader buffers a bounded number of bytes, or one chunk', async () => {
  const { read, pages } = await readLogOf(Array.from({ length: 100 }, () => 10_000));
  expect(read).toHaveLength(100);
  const chunkBytes = JSON.stringify(read[0]?.chunk).length;
  expect(pages.length).toBeGreaterThan(10);
  for (const { bytes } of pages) expect(bytes).toBeLessThan(LOG_PAGE_BYTES + chunkBytes);
});

it('a reader buffers a bounded number of small chunks', async () => {
  const { read, pages } = await readLogOf(Array.from({ length: LOG_PAGE + 10 }, () => 1));
  expect(read).toHaveLength(LOG_PAGE + 10);
  // Head and status are of the same moment: the last page says that it is the last.
  expect(pages.map(({ chunks }) => chunks)).toEqual([LOG_PAGE, 10]);
});
