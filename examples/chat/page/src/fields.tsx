import { useId } from 'react';
import { PlusIcon, TrashIcon } from './icons.tsx';
import { SimpleField } from './simple-field.tsx';
import { emptyOf, isObject, kindOf, propertiesOf, type JsonSchema } from './json-schema.ts';
import { humanName } from './wording.ts';

interface FieldsProps {
  readonly schema: JsonSchema;
  readonly value: Readonly<Record<string, unknown>>;
  readonly onChange: (value: Record<string, unknown>) => void;
  /** The keyboard begins in the first field. */
  readonly autoFocus?: boolean;
}

/** A field for each property, as its schema has it. */
export function Fields({ schema, value, onChange, autoFocus = false }: FieldsProps) {
  const change = (name: string, next: unknown): void => {
    const { [name]: _, ...others } = value;
    onChange(next === undefined ? others : { ...value, [name]: next });
  };
  return (
    <div className="form-fields">
      {propertiesOf(schema, value).map((property, index) => (
        <Field
          key={property.name}
          label={property.schema.title ?? humanName(property.name)}
          schema={property.schema}
          required={property.required}
          value={value[property.name]}
          autoFocus={autoFocus && index === 0}
          onChange={(next) => change(property.name, next)}
        />
      ))}
    </div>
  );
}

export interface FieldProps {
  readonly label: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
  readonly value: unknown;
  readonly autoFocus?: boolean;
  /** With undefined when it was emptied and may be left out. */
  readonly onChange: (value: unknown) => void;
}

function Field(props: FieldProps) {
  const { label, schema, value, onChange } = props;
  const kind = kindOf(schema, value);
  if (kind === 'list') return <List {...props} />;
  if (kind === 'choices') return <Choices {...props} />;
  if (kind !== 'object') return <SimpleField {...props} />;
  return (
    <fieldset className="wide-field">
      <legend>{label}</legend>
      <Fields schema={schema} value={isObject(value) ? value : {}} onChange={onChange} />
    </fieldset>
  );
}

function List({ label, schema, value, onChange }: FieldProps) {
  const items = Array.isArray(value) ? (value as unknown[]) : [];
  const item = schema.items ?? {};
  return (
    <fieldset className="wide-field">
      <legend>{label}</legend>
      {items.map((one, index) => (
        <div key={index} className="list-item">
          <Field
            label={`${label} ${index + 1}`}
            schema={item}
            required
            value={one}
            onChange={(next) => onChange(items.with(index, next ?? emptyOf(item)))}
          />
          <button
            type="button"
            className="icon plain"
            onClick={() => onChange(items.toSpliced(index, 1))}
          >
            <TrashIcon />
            <span className="hidden">
              Remove {label} {index + 1}
            </span>
          </button>
        </div>
      ))}
      <button
        type="button"
        className="small plain"
        onClick={() => onChange([...items, emptyOf(item)])}
      >
        <PlusIcon /> Add to {label.toLowerCase()}
      </button>
    </fieldset>
  );
}

/** Any of a few values. */
function Choices({ label, schema, value, onChange }: FieldProps) {
  const id = useId();
  const chosen = Array.isArray(value) ? (value as unknown[]) : [];
  const options = schema.items?.enum ?? [];
  return (
    <fieldset className="wide-field">
      <legend>{label}</legend>
      <div className="choices">
        {options.map((option) => (
          <label key={String(option)} className="check" htmlFor={`${id}-${String(option)}`}>
            <input
              id={`${id}-${String(option)}`}
              type="checkbox"
              checked={chosen.includes(option)}
              onChange={({ target }) =>
                onChange(
                  options.filter((one) => (one === option ? target.checked : chosen.includes(one))),
                )
              }
            />
            {humanName(String(option))}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
