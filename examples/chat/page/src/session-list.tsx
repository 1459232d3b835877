import type { SessionEntry } from './use-overview.ts';
import { timeAgo } from './wording.ts';

interface Props {
  readonly sessions: readonly SessionEntry[];
  readonly current: string;
  readonly onOpen: (id: string) => void;
}

export function SessionList({ sessions, current, onOpen }: Props) {
  const now = Date.now();
  return (
    <nav aria-label="Conversations">
      <h2>Conversations</h2>
      {sessions.length === 0 && <p className="quiet small">None yet. Say something.</p>}
      <ul className="list">
        {sessions.map(({ id, title, status, waiting, updatedAt }) => (
          <li key={id}>
            <button
              type="button"
              className="entry"
              aria-current={id === current ? 'page' : undefined}
              onClick={() => onOpen(id)}
            >
              <span className="clip">{title}</span>
              <span className="small quiet">
                <span className="state" data-state={stateOf(status, waiting)}>
                  {stateOf(status, waiting)}
                </span>{' '}
                · {timeAgo(updatedAt, now)}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function stateOf(status: string, waiting: number): string {
  if (waiting > 0) return 'waits for you';
  if (status === 'running') return 'working';
  if (status === 'failed') return 'failed';
  return status === 'interrupted' ? 'stopped' : 'done';
}
