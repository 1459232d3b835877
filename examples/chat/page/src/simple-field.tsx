import { useId, useState } from 'react';
import type { FieldProps } from './fields.tsx';
import { kindOf } from './json-schema.ts';
import { humanName } from './wording.ts';

/** One value in one control, with its label. */
export function SimpleField(props: FieldProps) {
  const { label, schema, value, onChange, autoFocus } = props;
  const id = useId();
  if (kindOf(schema, value) === 'boolean') {
    return (
      <label className="check" htmlFor={id}>
        <input
          id={id}
          type="checkbox"
          autoFocus={autoFocus}
          checked={value === true}
          onChange={({ target }) => onChange(target.checked)}
        />
        {label}
      </label>
    );
  }
  return (
    <div>
      <label htmlFor={id}>{label}</label>
      <Control {...props} id={id} />
      {schema.description && <p className="small quiet">{schema.description}</p>}
    </div>
  );
}

type ControlProps = FieldProps & { readonly id: string };

function Control(props: ControlProps) {
  const { id, schema, required, value, autoFocus, onChange } = props;
  const shared = { id, required, autoFocus };
  const kind = kindOf(schema, value);
  if (kind === 'choice') return <Choice {...props} />;
  if (kind === 'json') return <JsonControl {...shared} value={value} onChange={onChange} />;
  const text = typeof value === 'string' || typeof value === 'number' ? `${value}` : '';
  const change = (next: string | number): void =>
    onChange(next === '' && !required ? undefined : next);
  if (kind === 'long-text') {
    return (
      <textarea {...shared} rows={3} value={text} onChange={({ target }) => change(target.value)} />
    );
  }
  if (kind === 'date-time') {
    return (
      <input
        {...shared}
        type="datetime-local"
        value={toLocal(text)}
        onChange={({ target }) => change(fromLocal(target.value))}
      />
    );
  }
  if (kind === 'number') {
    return (
      <input
        {...shared}
        type="number"
        min={schema.minimum}
        max={schema.maximum}
        step={schema.type === 'integer' ? 1 : 'any'}
        value={Number.isNaN(value) ? '' : text}
        onChange={({ target }) =>
          change(target.value === '' && !required ? '' : target.valueAsNumber)
        }
      />
    );
  }
  return (
    <input
      {...shared}
      type={inputType(schema.format)}
      value={text}
      onChange={({ target }) => change(target.value)}
    />
  );
}

/** One of a few values, which need not be text. */
function Choice({ id, schema, required, value, autoFocus, onChange }: ControlProps) {
  const options = schema.enum ?? [];
  return (
    <select
      {...{ id, required, autoFocus }}
      value={options.indexOf(value)}
      onChange={({ target }) => onChange(options[Number(target.value)])}
    >
      {(!required || !options.includes(value)) && <option value={-1}>None</option>}
      {options.map((option, index) => (
        <option key={index} value={index}>
          {humanName(String(option))}
        </option>
      ))}
    </select>
  );
}

function inputType(format: string | undefined): string {
  if (format === 'date' || format === 'email' || format === 'time') return format;
  return format === 'uri' ? 'url' : 'text';
}

/** ISO time as the clock on the wall shows it, and back. */
function toLocal(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return '';
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}

function fromLocal(local: string): string {
  return local === '' ? '' : new Date(local).toISOString();
}

interface JsonProps {
  readonly id: string;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

/** Anything else. What is not JSON yet is kept as typed and stops the form from being sent. */
function JsonControl({ value, onChange, ...shared }: JsonProps) {
  const [text, setText] = useState(() => JSON.stringify(value, null, 2) ?? '');
  return (
    <textarea
      {...shared}
      className="code"
      rows={3}
      value={text}
      onChange={({ target }) => {
        setText(target.value);
        try {
          onChange(JSON.parse(target.value));
          target.setCustomValidity('');
        } catch {
          target.setCustomValidity('This is not valid JSON.');
        }
      }}
    />
  );
}
