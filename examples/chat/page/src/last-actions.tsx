import { useState } from 'react';
import { AgainIcon, CheckIcon, CopyIcon } from './icons.tsx';
import type { Part } from './parts.ts';

interface Props {
  readonly message: { readonly parts: readonly Part[] };
  readonly onAgain: () => void;
}

/** What can be done with the newest answer. While it asks something there is only the answer to give. */
export function LastActions({ message, onAgain }: Props) {
  const [copied, setCopied] = useState(false);
  const { parts } = message;
  if (parts.some(({ state }) => state === 'approval-requested')) return null;
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
  const copy = (): void => {
    void navigator.clipboard?.writeText(text).then(() => setCopied(true));
  };
  return (
    <div className="actions">
      <button type="button" className="small plain" onClick={copy}>
        {copied ? <CheckIcon /> : <CopyIcon />} {copied ? 'Copied' : 'Copy'}
      </button>
      <button type="button" className="small plain" onClick={onAgain}>
        <AgainIcon /> Try again
      </button>
    </div>
  );
}
