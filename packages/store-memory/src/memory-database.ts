import { callKeyText } from '@helix-agents/core/store';
import type { OpenCallRow, RunRow, SessionRow } from '@helix-agents/core';
import type {
  CallKey,
  CheckpointRow,
  ChildReferenceRow,
  InputRow,
  InterruptRow,
  JournalRow,
  MessageRow,
  UsageRow,
} from '@helix-agents/core/store';
import { MemoryStream } from './memory-stream.ts';
import { OrderedRows } from './ordered-rows.ts';

/** The rows of one session, besides its session row. */
export interface SessionTables {
  readonly messages: OrderedRows<MessageRow>;
  /** Numbers of the user messages that have an id, by it. */
  readonly messageIds: Map<string, number>;
  /** By step, then by `journalKey`. */
  readonly journal: Map<number, Map<string, JournalRow>>;
  readonly references: Map<string, ChildReferenceRow>;
  readonly checkpoints: OrderedRows<CheckpointRow>;
  readonly runIds: Set<string>;
  readonly interrupts: Map<string, InterruptRow>;
  /** By id, in the order of `seq`. */
  readonly inputs: Map<string, InputRow>;
  /** By id, in insertion order. */
  readonly usage: Map<string, UsageRow>;
}

/** Calls of one root by `callKeyText`; settled ones are apart, so that a step never reads them. */
export interface RootCalls {
  readonly live: Map<string, OpenCallRow>;
  readonly settled: Map<string, OpenCallRow>;
}

/**
 * The rows of one process. Every row is deeply frozen: it can be returned without a copy, and a change replaces it. What is read in
 * one turn of the event loop is therefore consistent.
 */
export class MemoryDatabase {
  readonly sessions: Map<string, SessionRow> = new Map();
  /** Session ids of each root's tree. */
  readonly trees: Map<string, Set<string>> = new Map();
  readonly tables: Map<string, SessionTables> = new Map();
  readonly calls: Map<string, RootCalls> = new Map();
  readonly runs: Map<string, RunRow> = new Map();
  readonly streams: Map<string, MemoryStream> = new Map();

  clear(): void {
    for (const stream of this.streams.values()) stream.drop();
    for (const map of [
      this.sessions,
      this.trees,
      this.tables,
      this.calls,
      this.runs,
      this.streams,
    ]) {
      map.clear();
    }
  }
}

export function tablesOf(database: MemoryDatabase, sessionId: string): SessionTables {
  let tables = database.tables.get(sessionId);
  if (!tables) {
    tables = {
      messages: new OrderedRows((row) => row.sequence),
      messageIds: new Map(),
      journal: new Map(),
      references: new Map(),
      checkpoints: new OrderedRows((row) => row.version),
      runIds: new Set(),
      interrupts: new Map(),
      inputs: new Map(),
      usage: new Map(),
    };
    database.tables.set(sessionId, tables);
  }
  return tables;
}

/** Created as active if it is absent. */
export function streamOf({ streams }: MemoryDatabase, streamId: string): MemoryStream {
  const known = streams.get(streamId);
  if (known) return known;
  const stream = new MemoryStream();
  streams.set(streamId, stream);
  return stream;
}

export function findCall(database: MemoryDatabase, key: CallKey): OpenCallRow | undefined {
  const calls = database.calls.get(key.rootId);
  const text = callKeyText(key);
  return calls?.live.get(text) ?? calls?.settled.get(text);
}

export function putCall(database: MemoryDatabase, row: OpenCallRow): void {
  let calls = database.calls.get(row.rootId);
  if (!calls) {
    calls = { live: new Map(), settled: new Map() };
    database.calls.set(row.rootId, calls);
  }
  const key = callKeyText(row);
  const [home, other] =
    row.state === 'settled' ? [calls.settled, calls.live] : [calls.live, calls.settled];
  other.delete(key);
  home.set(key, row);
}

/** Unique within a session's step. */
export function journalKey(row: Pick<JournalRow, 'index' | 'kind'>): string {
  return `${row.index} ${row.kind}`;
}

export function addUsage(database: MemoryDatabase, row: UsageRow): void {
  tablesOf(database, row.sessionId).usage.set(row.id, row);
}
