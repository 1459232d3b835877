import { useRef, useState } from 'react';
import { humanName, summaryOf } from './wording.ts';
import type { InboxEntry } from './use-overview.ts';

interface Props {
  readonly items: readonly InboxEntry[];
  readonly current: string;
  readonly onOpen: (id: string) => void;
  readonly onAnswered: () => void;
}

/** Everything that waits for a person, in every conversation and sub-agent. */
export function Inbox({ items, current, onOpen, onAnswered }: Props) {
  const [answered, setAnswered] = useState<readonly string[]>([]);
  const open = items.filter((item) => !answered.includes(keyOf(item)));

  // After an answer its buttons are gone: the keyboard stays in the list.
  const heading = useRef<HTMLHeadingElement>(null);

  const answer = async (item: InboxEntry, approved: boolean): Promise<void> => {
    setAnswered([...answered, keyOf(item)]);
    const { sessionId, toolCallId } = item;
    const body = JSON.stringify({ kind: 'approval-response', sessionId, toolCallId, approved });
    const headers = { 'content-type': 'application/json' };
    await fetch('api/answer', { method: 'POST', headers, body }).catch(() => setAnswered([]));
    onAnswered();
    heading.current?.focus();
  };

  return (
    <section aria-label="Inbox">
      <h2 ref={heading} tabIndex={-1}>
        Inbox {open.length > 0 && <span className="count">{open.length}</span>}
      </h2>
      {open.length === 0 && <p className="quiet small">You’re all caught up.</p>}
      <ul className="list">
        {open.map((item) => (
          <li key={keyOf(item)} className="ask">
            <b>{humanName(item.toolName)}</b>
            <span className="quiet small clip">{summaryOf(item.input)}</span>
            <span className="row">
              {item.kind === 'approval' && (
                <>
                  <button
                    type="button"
                    className="small primary"
                    onClick={() => void answer(item, true)}
                  >
                    Approve
                  </button>
                  <button type="button" className="small" onClick={() => void answer(item, false)}>
                    Deny
                  </button>
                </>
              )}
              {item.sessionId !== current && (
                <button
                  type="button"
                  className="small plain"
                  onClick={() => onOpen(item.sessionId)}
                >
                  Open chat
                </button>
              )}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Two conversations may have calls of the same id. */
function keyOf({ sessionId, toolCallId }: InboxEntry): string {
  return `${sessionId}:${toolCallId}`;
}
