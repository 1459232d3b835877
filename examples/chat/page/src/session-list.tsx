import { useState } from 'react';
import { SessionItem } from './session-item.tsx';
import type { SessionEntry } from './use-overview.ts';

interface Props {
  readonly sessions: readonly SessionEntry[];
  readonly current: string;
  readonly onOpen: (id: string) => void;
  readonly onChange: () => void;
  readonly onDeleted: (id: string) => void;
}

export function SessionList({ sessions, current, onOpen, onChange, onDeleted }: Props) {
  const [search, setSearch] = useState('');
  const names = namesOf(sessions);
  const wanted = search.trim().toLowerCase();
  const found = sessions.filter(({ id }) => names.get(id)?.toLowerCase().includes(wanted));
  return (
    <nav aria-label="Conversations">
      <h2>Conversations</h2>
      {sessions.length > 0 && (
        <input
          type="search"
          aria-label="Search conversations"
          placeholder="Search"
          value={search}
          onChange={({ target }) => setSearch(target.value)}
        />
      )}
      {sessions.length === 0 && <p className="quiet small">No conversations yet.</p>}
      {sessions.length > 0 && found.length === 0 && (
        <p className="quiet small">Nothing matches “{search.trim()}”.</p>
      )}
      <ul className="list">
        {found.map((session) => (
          <SessionItem
            key={session.id}
            session={session}
            name={names.get(session.id) ?? session.title}
            isCurrent={session.id === current}
            {...{ onOpen, onChange, onDeleted }}
          />
        ))}
      </ul>
    </nav>
  );
}

/** Equal titles are numbered, oldest first, so that they can be told apart. */
function namesOf(sessions: readonly SessionEntry[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const counts = new Map<string, number>();
  for (const { id, title } of sessions.toSorted((a, b) => a.createdAt - b.createdAt)) {
    const count = (counts.get(title) ?? 0) + 1;
    counts.set(title, count);
    names.set(id, count === 1 ? title : `${shortened(title)} (${count})`);
  }
  return names;
}

/** So that the number stays in view. */
function shortened(title: string): string {
  return title.length > 30 ? `${title.slice(0, 29).trimEnd()}…` : title;
}
