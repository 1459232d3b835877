import type { ApprovalAnswer } from '@helix-agents/ai-sdk/react';
import { useId, useState } from 'react';
import { CheckIcon, CrossIcon, HandIcon } from './icons.tsx';
import type { Part } from './parts.ts';
import { humanName, summaryOf, valueOf } from './wording.ts';

interface Props {
  readonly part: Part;
  /** What editing begins with: the model's own input where its schema changes types. */
  readonly toEdit: Readonly<Record<string, unknown>>;
  /** A message came instead of an answer. */
  readonly superseded: boolean;
  readonly onDecide: (decision: ApprovalAnswer) => void;
}

export function ApprovalCard({ part, toEdit, superseded, onDecide }: Props) {
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
        <Question {...{ part, toEdit, onDecide }} />
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

function Question({ part, toEdit, onDecide }: Omit<Props, 'superseded'>) {
  const given = part.input ?? {};
  const [draft, setDraft] = useState<Record<string, unknown> | null>(null);
  const toolCallId = part.toolCallId ?? '';
  const changed = draft !== null && JSON.stringify(draft) !== JSON.stringify(toEdit);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onDecide({ toolCallId, approved: true, ...(changed && { input: draft }) });
      }}
    >
      <dl className="fields">
        {Object.entries(draft ?? given).map(([name, value], index) => (
          <div key={name}>
            <dt>
              {draft ? (
                <label htmlFor={`${toolCallId}-${name}`}>{humanName(name)}</label>
              ) : (
                humanName(name)
              )}
            </dt>
            <dd>
              {draft ? (
                <Field
                  id={`${toolCallId}-${name}`}
                  value={value}
                  first={index === 0}
                  onChange={(next) => setDraft({ ...draft, [name]: next })}
                />
              ) : (
                valueOf(name, value)
              )}
            </dd>
          </div>
        ))}
      </dl>
      <div className="row">
        <button type="submit" className="primary">
          {changed ? 'Approve changes' : 'Approve'}
        </button>
        <button type="button" onClick={() => setDraft(draft ? null : { ...toEdit })}>
          {draft ? 'Cancel' : 'Edit'}
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

interface FieldProps {
  readonly id: string;
  readonly value: unknown;
  readonly first: boolean;
  readonly onChange: (value: unknown) => void;
}

function Field({ id, value, first, onChange }: FieldProps) {
  const number = typeof value === 'number';
  return (
    <input
      id={id}
      autoFocus={first}
      required
      type={number ? 'number' : 'text'}
      step="any"
      value={String(value)}
      onChange={({ target }) => onChange(number ? target.valueAsNumber || 0 : target.value)}
    />
  );
}
