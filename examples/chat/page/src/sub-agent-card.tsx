import type { ReactNode } from 'react';
import { CheckIcon, CrossIcon } from './icons.tsx';
import type { SubAgentData } from './parts.ts';
import { humanName } from './wording.ts';

interface Props {
  readonly data: SubAgentData;
  readonly children: ReactNode;
}

export function SubAgentCard({ data, children }: Props) {
  const { agentType, status } = data;
  return (
    <section className="card sub" aria-label={`Sub-agent ${humanName(agentType)}`}>
      <div className="row">
        <span
          className="badge"
          data-kind={{ running: 'busy', completed: 'good', failed: 'bad' }[status]}
        >
          {status === 'running' ? (
            <span className="spinner" />
          ) : status === 'completed' ? (
            <CheckIcon />
          ) : (
            <CrossIcon />
          )}
        </span>
        <b>{humanName(agentType)}</b>
        <span className="quiet small">sub-agent</span>
      </div>
      <div className="nested">{children}</div>
    </section>
  );
}
