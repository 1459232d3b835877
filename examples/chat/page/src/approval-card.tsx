import type { ApprovalAnswer } from '@helix-agents/ai-sdk/react';
import { useId, useState } from 'react';
import { CheckIcon, CrossIcon, HandIcon } from './icons.tsx';
import type { Part } from './parts.ts';
import { humanName, summaryOf } from './wording.ts';

interface Props {
  readonly part: Part;
  /** A message came instead of an answer. */
  readonly superseded: boolean;
  readonly onDecide: (decision: ApprovalAnswer) => void;
}

export function ApprovalCard({ part, superseded, onDecide }: Props) {
  const heading = useId();
  const name = humanName(part.type.slice('tool-'.length));
  const open = part.state === 'approval-requested' && !superseded;
  return (
    <section className="card approval" data-open={open || undefined} aria-labelledby={heading}>
      <div className="row">
        <Badge part={part} open={open} />
        <b id={heading}>{open ? `${name}?` : name}</b>
        <span className="quiet small">{open ? 'waits for you' : outcomeOf(part, superseded)}</span>
      </div>
      {open ? (
        <Question part={part} onDecide={onDecide} />
      ) : (
        <p className="small quiet">{summaryOf(part.output ?? part.input)}</p>
      )}
    </section>
  );
}

function Badge({ part, open }: { readonly part: Part; readonly open: boolean }) {
  if (open) {
    return (
      <span className="badge" data-kind="ask">
        <HandIcon />
      </span>
    );
  }
  const good = part.state === 'output-available';
  const busy = part.state === 'approval-responded' || part.state === 'input-available';
  return (
    <span className="badge" data-kind={good ? 'good' : busy ? 'busy' : 'bad'}>
      {good ? <CheckIcon /> : busy ? <span className="spinner" /> : <CrossIcon />}
    </span>
  );
}

function outcomeOf(part: Part, superseded: boolean): string {
  if (part.state === 'output-available') return 'approved and done';
  if (part.state === 'output-error') return part.errorText ?? 'failed';
  if (part.state === 'output-denied' || part.approval?.approved === false) return 'denied';
  if (part.state === 'approval-requested' && superseded) return 'no longer asked';
  return 'approved, running…';
}

function Question({ part, onDecide }: Pick<Props, 'part' | 'onDecide'>) {
  const [draft, setDraft] = useState<Record<string, unknown>>(() => ({ ...part.input }));
  const [editing, setEditing] = useState(false);
  const toolCallId = part.toolCallId ?? '';
  const changed = JSON.stringify(draft) !== JSON.stringify(part.input);
  const approve = (): void =>
    onDecide({ toolCallId, approved: true, ...(changed && { input: draft }) });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        approve();
      }}
    >
      <dl className="fields">
        {Object.entries(draft).map(([name, value]) => (
          <div key={name}>
            <dt>
              <label htmlFor={`${toolCallId}-${name}`}>{humanName(name)}</label>
            </dt>
            <dd>
              <input
                id={`${toolCallId}-${name}`}
                type={typeof value === 'number' ? 'number' : 'text'}
                step="any"
                value={String(value)}
                readOnly={!editing}
                onChange={({ target }) =>
                  setDraft({
                    ...draft,
                    [name]: typeof value === 'number' ? Number(target.value) : target.value,
                  })
                }
              />
            </dd>
          </div>
        ))}
      </dl>
      <div className="row">
        <button type="submit" className="primary">
          {changed ? 'Approve changes' : 'Approve'}
        </button>
        <button type="button" onClick={() => setEditing(!editing)} aria-pressed={editing}>
          Edit
        </button>
        <button
          type="button"
          onClick={() => onDecide({ toolCallId, approved: false, reason: 'Not now' })}
        >
          Deny
        </button>
      </div>
    </form>
  );
}
