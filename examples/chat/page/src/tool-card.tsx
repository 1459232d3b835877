import { CheckIcon, CrossIcon } from './icons.tsx';
import type { Part, ProgressData } from './parts.ts';
import { humanName, summaryOf } from './wording.ts';

interface Props {
  readonly part: Part;
  readonly progress: ProgressData | undefined;
}

export function ToolCard({ part, progress }: Props) {
  const name = humanName(part.type.slice('tool-'.length));
  const failed = part.state === 'output-error';
  const done = part.state === 'output-available';
  return (
    <div className="card tool" data-state={part.state}>
      <div className="row">
        <span className="badge" data-kind={failed ? 'bad' : done ? 'good' : 'busy'}>
          {failed ? <CrossIcon /> : done ? <CheckIcon /> : <span className="spinner" />}
        </span>
        <b>{name}</b>
        <span className="quiet small clip">{summaryOf(part.input)}</span>
      </div>
      {!done && !failed && progress && (
        <div className="progress">
          <progress
            value={progress.done}
            max={progress.of}
            aria-label={`${name}: ${progress.label}`}
          />
          <span className="quiet small">{progress.label}</span>
        </div>
      )}
      {failed && <p className="small bad-text">{part.errorText}</p>}
      {done && <Result output={part.output} />}
    </div>
  );
}

function Result({ output }: { readonly output: unknown }) {
  const rows = rowsIn(output);
  if (rows.length === 0) return null;
  return (
    <details>
      <summary>
        {rows.length} {rows.length === 1 ? 'result' : 'results'}
      </summary>
      <ul className="results">
        {rows.map((row) => (
          <li key={row}>{row}</li>
        ))}
      </ul>
    </details>
  );
}

function rowsIn(output: unknown): readonly string[] {
  if (typeof output !== 'object' || output === null) return [];
  const list = Object.values(output).find(Array.isArray) as unknown[] | undefined;
  return list ? list.map(summaryOf) : [summaryOf(output)];
}
