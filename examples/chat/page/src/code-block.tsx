import { useState } from 'react';
import { CheckIcon, CopyIcon } from './icons.tsx';
import { tokensOf } from './highlight.ts';

interface Props {
  readonly language: string;
  readonly code: string;
}

export function CodeBlock({ language, code }: Props) {
  const [copied, setCopied] = useState(false);
  const copy = (): void => {
    void navigator.clipboard?.writeText(code).then(() => setCopied(true));
  };
  return (
    <figure className="code-block">
      <figcaption>
        <span>{language || 'code'}</span>
        <button type="button" className="icon plain" onClick={copy}>
          {copied ? <CheckIcon /> : <CopyIcon />}
          <span className="hidden">{copied ? 'Copied' : 'Copy code'}</span>
        </button>
      </figcaption>
      <pre tabIndex={0}>
        <code>
          {tokensOf(code.trimEnd()).map(({ kind, text }, index) =>
            kind === 'plain' ? (
              text
            ) : (
              <span key={index} data-token={kind}>
                {text}
              </span>
            ),
          )}
        </code>
      </pre>
    </figure>
  );
}
