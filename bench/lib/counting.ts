import type { StateStore, StreamManager } from '@helix-agents/core';
import { DatabaseSync, StatementSync } from 'node:sqlite';

export type Counts = Map<string, number>;

export function countUp(counts: Counts, name: string, by: number = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + by);
}

/** The same store; every call of a method counts. */
export function countingStore(store: StateStore, counts: Counts): StateStore {
  return {
    sessions: countingCalls(store.sessions, counts, ''),
    index: countingCalls(store.index, counts, 'index.'),
  };
}

export function countingStreams(streams: StreamManager, counts: Counts): StreamManager {
  return countingCalls(streams, counts, 'stream.');
}

function countingCalls<T extends object>(target: T, counts: Counts, prefix: string): T {
  return new Proxy(target, {
    get(inner, key) {
      const value: unknown = Reflect.get(inner, key, inner);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        countUp(counts, prefix + String(key));
        return Reflect.apply(value, inner, args);
      };
    },
  });
}

/** How often something was read, and the size of what came back as JSON. */
export interface Reads {
  count: number;
  bytes: number;
}

/** The same object; its methods whose name begins with `read` are counted. */
export function countingReads<T extends object>(target: T, reads: Reads): T {
  return new Proxy(target, {
    get(inner, key) {
      const value: unknown = Reflect.get(inner, key, inner);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        const result: unknown = Reflect.apply(value, inner, args);
        if (!String(key).startsWith('read')) return result;
        reads.count += 1;
        return (result as Promise<unknown>).then((rows) => {
          reads.bytes += JSON.stringify(rows).length;
          return rows;
        });
      };
    },
  });
}

export interface SqliteCounts {
  /** Transactions that write and wait for the disk, that write and do not, that only read, and statements in them. */
  readonly counts: Counts;
  /** Microseconds by text of the statement. */
  readonly micros: Counts;
  readonly calls: Counts;
}

/** Counts and times what reaches SQLite in this whole process, until the returned function is called. */
export function watchSqlite({ counts, micros, calls }: SqliteCounts): () => void {
  // Called on their own objects below.
  // oxlint-disable-next-line typescript/unbound-method
  const { prepare, exec } = DatabaseSync.prototype;
  // oxlint-disable-next-line typescript/unbound-method
  const { run, all } = StatementSync.prototype;
  const texts = new WeakMap<StatementSync, string>();
  let writing = false;
  let changed = false;
  let waits = true;
  const note = (statement: StatementSync, took: number): void => {
    const text = texts.get(statement) ?? '';
    countUp(calls, text);
    countUp(micros, text, took * 1000);
    if (text.startsWith('begin')) {
      writing = text === 'begin immediate';
      changed = false;
    } else if (text === 'commit') countUp(counts, kind());
    else countUp(counts, 'statements');
  };
  const kind = (): string => {
    if (!writing) return 'read transactions';
    if (!changed) return 'write transactions without a change';
    return waits ? 'commits that wait for the disk' : 'commits that do not wait';
  };
  const isWrite = (statement: StatementSync): boolean =>
    /^(insert|update|delete)/.test(texts.get(statement) ?? '');
  const timed = <T>(statement: StatementSync, work: () => T): T => {
    const start = performance.now();
    const result = work();
    note(statement, performance.now() - start);
    return result;
  };
  DatabaseSync.prototype.prepare = function counted(sql, ...rest) {
    const statement = prepare.call(this, sql, ...rest);
    texts.set(statement, sql);
    return statement;
  };
  DatabaseSync.prototype.exec = function counted(sql) {
    if (sql.startsWith('pragma synchronous')) waits = sql.endsWith('full');
    return exec.call(this, sql);
  };
  StatementSync.prototype.run = function counted(this: StatementSync, ...args: never[]) {
    const result = timed(this, () => Reflect.apply(run, this, args));
    changed ||= isWrite(this) && Number(result.changes) > 0;
    return result;
  };
  StatementSync.prototype.all = function counted(this: StatementSync, ...args: never[]) {
    const rows = timed(this, () => Reflect.apply(all, this, args));
    changed ||= isWrite(this) && rows.length > 0;
    return rows;
  };
  return () => {
    Object.assign(DatabaseSync.prototype, { prepare, exec });
    Object.assign(StatementSync.prototype, { run, all });
  };
}

/** Counts divided by a number of units, as one line. */
export function perUnit(counts: Counts, units: number): string {
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, count]) => `${name} ${Number((count / units).toFixed(2))}`)
    .join(', ');
}
