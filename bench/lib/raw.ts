import { DatabaseSync } from 'node:sqlite';
import type { Sync } from './stores.ts';

/** The least a correct loop needs: one atomic write that names the version it read. */
export interface RawStore {
  create(id: string, messages: readonly unknown[]): void;
  /** Version check, session row, messages: one commit. */
  commit(id: string, version: number, messages: readonly unknown[]): void;
  /** The same with the checkpoint of a step that is whole. */
  closeStep(id: string, version: number, messages: readonly unknown[]): void;
  close(): void;
}

interface RawSession {
  version: number;
  readonly state: string;
  readonly messages: unknown[];
  readonly checkpoints: { version: number; messages: number; state: string }[];
}

export function rawMemory(): RawStore {
  const sessions = new Map<string, RawSession>();
  const copy = (messages: readonly unknown[]): unknown[] => JSON.parse(JSON.stringify(messages));
  const commit = (id: string, version: number, messages: readonly unknown[]): RawSession => {
    const session = sessions.get(id);
    if (session?.version !== version) throw new Error('stale');
    session.messages.push(...copy(messages));
    session.version += 1;
    return session;
  };
  return {
    create(id, messages) {
      sessions.set(id, { version: 1, state: '{}', messages: copy(messages), checkpoints: [] });
    },
    commit,
    closeStep(id, version, messages) {
      const session = commit(id, version, messages);
      const { state, messages: all } = session;
      session.checkpoints.push({ version: session.version, messages: all.length, state });
    },
    close: () => sessions.clear(),
  };
}

/** Hand-written SQL over prepared statements on the same engine, with the same journal and sync. */
export function rawSqlite(path: string, sync: Sync): RawStore {
  const database = new DatabaseSync(path);
  database.exec(`pragma journal_mode = wal; pragma synchronous = ${sync};
    create table if not exists session (id text primary key, version integer not null, status text not null,
      messages integer not null, state text not null, updated integer not null) strict;
    create table if not exists message (session text not null, sequence integer not null, body text not null,
      primary key (session, sequence)) strict, without rowid;
    create table if not exists checkpoint (session text not null, version integer not null, messages integer not null,
      state text not null, created integer not null, primary key (session, version)) strict, without rowid;`);
  const begin = database.prepare('begin immediate');
  const commit = database.prepare('commit');
  const insertSession = database.prepare(
    `insert into session values (?1, 1, 'running', ?2, '{}', ?3)`,
  );
  const updateSession =
    database.prepare(`update session set version = version + 1, messages = messages + ?3,
    state = '{}', updated = ?4 where id = ?1 and version = ?2 returning messages`);
  const insertMessage = database.prepare('insert into message values (?1, ?2, ?3)');
  const insertCheckpoint = database.prepare(`insert into checkpoint values (?1, ?2, ?3, '{}', ?4)`);
  const add = (id: string, before: number, messages: readonly unknown[]): void => {
    for (const [index, message] of messages.entries()) {
      insertMessage.run(id, before + index + 1, JSON.stringify(message));
    }
  };
  const change = (id: string, version: number, messages: readonly unknown[]): number => {
    const row = updateSession.get(id, version, messages.length, Date.now());
    if (!row) throw new Error('stale');
    const count = Number(row['messages']);
    add(id, count - messages.length, messages);
    return count;
  };
  return {
    create(id, messages) {
      begin.run();
      insertSession.run(id, messages.length, Date.now());
      add(id, 0, messages);
      commit.run();
    },
    commit(id, version, messages) {
      begin.run();
      change(id, version, messages);
      commit.run();
    },
    closeStep(id, version, messages) {
      begin.run();
      const count = change(id, version, messages);
      insertCheckpoint.run(id, version + 1, count, Date.now());
      commit.run();
    },
    close: () => database.close(),
  };
}
