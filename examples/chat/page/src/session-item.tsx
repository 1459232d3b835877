import { useState } from 'react';
import { PenIcon, TrashIcon } from './icons.tsx';
import type { SessionEntry } from './use-overview.ts';
import { timeAgo } from './wording.ts';

interface Props {
  readonly session: SessionEntry;
  readonly name: string;
  readonly isCurrent: boolean;
  readonly onOpen: (id: string) => void;
  readonly onChange: () => void;
  readonly onDeleted: (id: string) => void;
}

/** A conversation in the list: open, rename, delete. */
export function SessionItem({ session, name, isCurrent, onOpen, onChange, onDeleted }: Props) {
  const { id, updatedAt } = session;
  const [mode, setMode] = useState<'show' | 'rename' | 'delete'>('show');
  const [problem, setProblem] = useState('');
  const send = async (method: 'PATCH' | 'DELETE', body?: object): Promise<void> => {
    setMode('show');
    const headers = { 'content-type': 'application/json' };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const done = await fetch(`api/sessions/${encodeURIComponent(id)}`, init).catch(() => null);
    setProblem(done?.ok ? '' : 'That did not work. Please try again.');
    onChange();
    if (done?.ok && method === 'DELETE') onDeleted(id);
  };

  if (mode === 'rename') {
    const rename = (title: string): void => void send('PATCH', { title });
    return <Rename title={session.title} onSave={rename} onCancel={() => setMode('show')} />;
  }
  if (mode === 'delete') {
    return (
      <li className="ask">
        <span>
          Delete <b>{name}</b> for good?
        </span>
        <span className="row">
          <button type="button" autoFocus className="danger" onClick={() => void send('DELETE')}>
            Delete
          </button>
          <button type="button" onClick={() => setMode('show')}>
            Keep
          </button>
        </span>
      </li>
    );
  }
  return (
    <li>
      <div className="entry-row" data-current={isCurrent || undefined}>
        <button
          type="button"
          className="entry"
          aria-current={isCurrent ? 'page' : undefined}
          onClick={() => onOpen(id)}
        >
          <span className="two-lines">{name}</span>
          <span className="small quiet one-line">
            <span className="state" data-state={stateOf(session)}>
              {stateOf(session)}
            </span>{' '}
            · {timeAgo(updatedAt, Date.now())}
          </span>
        </button>
        <button type="button" className="icon plain" onClick={() => setMode('rename')}>
          <PenIcon />
          <span className="hidden">Rename {name}</span>
        </button>
        <button type="button" className="icon plain" onClick={() => setMode('delete')}>
          <TrashIcon />
          <span className="hidden">Delete {name}</span>
        </button>
      </div>
      {problem && (
        <p className="small bad-text" role="alert">
          {problem}
        </p>
      )}
    </li>
  );
}

interface RenameProps {
  readonly title: string;
  readonly onSave: (title: string) => void;
  readonly onCancel: () => void;
}

function Rename({ title, onSave, onCancel }: RenameProps) {
  const [draft, setDraft] = useState(title);
  return (
    <li>
      <form
        className="ask"
        onSubmit={(event) => {
          event.preventDefault();
          onSave(draft.trim());
        }}
      >
        <input
          aria-label="New name"
          autoFocus
          required
          pattern=".*\S.*"
          maxLength={80}
          value={draft}
          onFocus={({ target }) => target.select()}
          onChange={({ target }) => setDraft(target.value)}
        />
        <span className="row">
          <button type="submit" className="primary">
            Save
          </button>
          <button type="button" onClick={onCancel}>
            Cancel
          </button>
        </span>
      </form>
    </li>
  );
}

function stateOf({ status, waiting }: SessionEntry): string {
  if (waiting > 0) return 'needs you';
  if (status === 'running') return 'working';
  if (status === 'failed') return 'failed';
  return status === 'interrupted' ? 'stopped' : 'done';
}
