import { DatabaseSync } from 'node:sqlite';
import type { Sync } from './stores.ts';

/** The least a correct loop needs: one atomic write that names the version it read. */
export interface RawStore {
  create(id: string, messages: readonly unknown[]): void;
  /** Version check, session row, messages: one commit. */
  commit(id: string, version: number, messages: readonly unknown[]): void;
  close(): void;
}

export function rawMemory(): RawStore {
  const sessions = new Map<string, { version: number; state: string; messages: unknown[] }>();
  const copy = (messages: readonly unknown[]): unknown[] => JSON.parse(JSON.stringify(messages));
  return {
    create(id, messages) {
      sessions.set(id, { version: 1, state: '{}', messages: copy(messages) });
    },
    commit(id, version, messages) {
      const session = sessions.get(id);
      if (session?.version !== version) throw new Error('stale');
      session.messages.push(...copy(messages));
      session.version += 1;
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
      primary key (session, sequence)) strict, without rowid;`);
  const begin = database.prepare('begin immediate');
  const commit = database.prepare('commit');
  const insertSession = database.prepare(
    `insert into session values (?1, 1, 'running', ?2, '{}', ?3)`,
  );
  const updateSession =
    database.prepare(`update session set version = version + 1, messages = messages + ?3,
    state = '{}', updated = ?4 where id = ?1 and version = ?2 returning messages`);
  const insertMessage = database.prepare('insert into message values (?1, ?2, ?3)');
  const add = (id: string, before: number, messages: readonly unknown[]): void => {
    for (const [index, message] of messages.entries()) {
      insertMessage.run(id, before + index + 1, JSON.stringify(message));
    }
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
      const row = updateSession.get(id, version, messages.length, Date.now());
      if (!row) throw new Error('stale');
      add(id, Number(row['messages']) - messages.length, messages);
      commit.run();
    },
    close: () => database.close(),
  };
}
