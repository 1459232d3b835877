import type { ReactNode } from 'react';
import { CheckIcon, CrossIcon, HandIcon } from './icons.tsx';
import type { SubAgentData } from './parts.ts';
import { humanName } from './wording.ts';

interface Props {
  readonly data: SubAgentData;
  /** One of its calls asks a person. */
  readonly waits: boolean;
  readonly children: ReactNode;
}

export function SubAgentCard({ data, waits, children }: Props) {
  const { agentType } = data;
  const status = waits ? 'asking' : data.status;
  return (
    <section className="card sub" aria-label={`Sub-agent ${humanName(agentType)}`}>
      <div className="row">
        <span
          className="badge"
          data-kind={{ asking: 'ask', running: 'busy', completed: 'good', failed: 'bad' }[status]}
        >
          {status === 'asking' ? (
            <HandIcon />
          ) : status === 'running' ? (
            <span className="spinner" />
          ) : status === 'completed' ? (
            <CheckIcon />
          ) : (
            <CrossIcon />
          )}
        </span>
        <b>{humanName(agentType)}</b>
        <span className="quiet small">{waits ? 'sub-agent, needs you' : 'sub-agent'}</span>
      </div>
      <div className="nested">{children}</div>
    </section>
  );
}
