import { DatabaseSync } from 'node:sqlite';

/** Names that people gave to conversations. The application's own data: a session does not know of it. */
export interface Titles {
  get(sessionId: string): string | undefined;
  set(sessionId: string, title: string): void;
  delete(sessionId: string): void;
}

export function openTitles(file: string): Titles {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 5000;');
  database.exec('CREATE TABLE IF NOT EXISTS titles (id TEXT PRIMARY KEY, title TEXT NOT NULL)');
  const read = database.prepare('SELECT title FROM titles WHERE id = ?');
  const write = database.prepare('INSERT OR REPLACE INTO titles (id, title) VALUES (?, ?)');
  const remove = database.prepare('DELETE FROM titles WHERE id = ?');
  return {
    get: (id) => (read.get(id) as { title: string } | undefined)?.title,
    set: (id, title) => void write.run(id, title),
    delete: (id) => void remove.run(id),
  };
}
