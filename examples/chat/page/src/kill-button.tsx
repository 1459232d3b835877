import { useState } from 'react';
import { BoltIcon } from './icons.tsx';

interface Props {
  readonly pid: number | null;
  readonly online: boolean;
}

/** Kills the server process, to show that nothing is lost. */
export function KillButton({ pid, online }: Props) {
  const [killed, setKilled] = useState<number | null>(null);
  const down = !online || (killed !== null && killed === pid);
  const kill = (): void => {
    setKilled(pid);
    fetch('api/kill', { method: 'POST' }).catch(() => undefined);
  };
  return (
    <div className="kill">
      <span className="quiet small" role="status">
        {down
          ? 'server down, restarting…'
          : killed
            ? `now process ${pid}`
            : pid
              ? `process ${pid}`
              : ''}
      </span>
      <button type="button" className="danger" onClick={kill} disabled={down || pid === null}>
        <BoltIcon /> <span className="wide">Kill the server</span>
        <span className="narrow">Kill</span>
      </button>
    </div>
  );
}
