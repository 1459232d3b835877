import { useToolCall, type CardChat, type ToolCallCard } from '@helix-agents/ai-sdk/react';
import { useId, useState } from 'react';
import { flushSync } from 'react-dom';
import { Fields } from './fields.tsx';
import { CheckIcon, CrossIcon, HandIcon } from './icons.tsx';
import { isObject, type JsonSchema } from './json-schema.ts';
import type { CallPart } from './parts.ts';
import { detailsOf, humanName, summaryOf } from './wording.ts';

interface Props {
  readonly chat: CardChat;
  readonly part: CallPart;
  readonly schema: JsonSchema;
  readonly onDecided: () => void;
}

export function ApprovalCard({ chat, part, schema, onDecided }: Props) {
  const call = useToolCall(chat, part);
  const heading = useId();
  const [step, setStep] = useState<Step>('decide');
  const name = humanName(call.toolName);
  const open = call.asks === 'approval';
  // The same call may be asked about again, when the agent is told to try again.
  const decided = (): void => {
    // At once, so that what a form hid on a phone can take the keyboard.
    flushSync(() => setStep('decide'));
    onDecided();
  };
  return (
    <section
      className="card approval"
      data-open={open || undefined}
      data-step={open ? step : undefined}
      aria-labelledby={heading}
    >
      <div className="row">
        <Badge status={call.status} />
        <b id={heading}>{open ? `${name}?` : name}</b>
        <span className="quiet small">{open ? 'needs your approval' : outcomeOf(call)}</span>
      </div>
      {open ? (
        <Question {...{ call, schema, step, setStep }} onDecided={decided} />
      ) : (
        <p className="small quiet">{summaryOf(call.output ?? call.input)}</p>
      )}
    </section>
  );
}

/** `cancelled`: back from a form, with the keyboard. */
type Step = 'decide' | 'edit' | 'deny' | 'cancelled';

function Badge({ status }: Pick<ToolCallCard, 'status'>) {
  const kind =
    status === 'waiting'
      ? 'ask'
      : status === 'done'
        ? 'good'
        : status === 'sent' || status === 'running'
          ? 'busy'
          : 'bad';
  const icons = {
    ask: <HandIcon />,
    good: <CheckIcon />,
    busy: <span className="spinner" />,
    bad: <CrossIcon />,
  };
  return (
    <span className="badge" data-kind={kind}>
      {icons[kind]}
    </span>
  );
}

function outcomeOf({ status, error, reason }: ToolCallCard): string {
  if (status === 'done') return 'approved and done';
  if (status === 'failed') return error ?? 'failed';
  if (status === 'denied') return reason ? `denied: ${reason}` : 'denied';
  return status === 'closed' ? 'no longer needed' : 'sent, working…';
}

interface QuestionProps {
  readonly call: ToolCallCard;
  readonly schema: JsonSchema;
  readonly step: Step;
  readonly setStep: (step: Step) => void;
  readonly onDecided: () => void;
}

function Question(props: QuestionProps) {
  const { call, step, setStep, onDecided } = props;
  if (step === 'edit') return <Edit {...props} />;
  if (step === 'deny') return <Deny {...props} />;
  return (
    <>
      <dl className="fields">
        {detailsOf(call.input).map(({ name, text }) => (
          <div key={name}>
            <dt>{humanName(name)}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <div className="row">
        <button
          type="button"
          className="primary"
          onClick={() => {
            void call.approve();
            onDecided();
          }}
        >
          Approve
        </button>
        <button type="button" autoFocus={step === 'cancelled'} onClick={() => setStep('edit')}>
          Edit
        </button>
        <button type="button" onClick={() => setStep('deny')}>
          Deny
        </button>
      </div>
    </>
  );
}

function Edit({ call, schema, setStep, onDecided }: QuestionProps) {
  const given = isObject(call.toEdit) ? call.toEdit : {};
  const [draft, setDraft] = useState(given);
  const changed = JSON.stringify(draft) !== JSON.stringify(given);
  return (
    <form
      ref={intoView}
      onSubmit={(event) => {
        event.preventDefault();
        void call.approve(changed ? draft : undefined);
        onDecided();
      }}
    >
      <Fields schema={schema} value={draft} onChange={setDraft} autoFocus />
      <div className="row">
        <button type="submit" className="primary">
          {changed ? 'Approve changes' : 'Approve'}
        </button>
        <button type="button" onClick={() => setStep('cancelled')}>
          Cancel
        </button>
      </div>
    </form>
  );
}

/** The agent reads the reason, and may do better with it. */
function Deny({ call, setStep, onDecided }: QuestionProps) {
  const [reason, setReason] = useState('');
  const id = useId();
  return (
    <form
      ref={intoView}
      onSubmit={(event) => {
        event.preventDefault();
        void call.deny(reason.trim());
        onDecided();
      }}
    >
      <div className="form-fields">
        <div className="wide-field">
          <label htmlFor={id}>Reason (optional)</label>
          <input
            id={id}
            autoFocus
            maxLength={500}
            placeholder="The agent will read this"
            value={reason}
            onChange={({ target }) => setReason(target.value)}
          />
        </div>
      </div>
      <div className="row">
        <button type="submit" className="primary">
          Deny
        </button>
        <button type="button" onClick={() => setStep('cancelled')}>
          Cancel
        </button>
      </div>
    </form>
  );
}

/** A form that opens below the fold is scrolled to. */
function intoView(form: HTMLElement | null): void {
  form?.closest('.card')?.scrollIntoView({ block: 'nearest' });
}
