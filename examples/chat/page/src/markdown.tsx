import type { ReactNode } from 'react';

/** Paragraphs, lists and bold: all that this assistant writes. */
export function Markdown({ text }: { readonly text: string }) {
  return (
    <div className="text">
      {text.split(/\n{2,}/).map((block, index) =>
        block.startsWith('- ') ? (
          <ul key={index}>
            {block.split('\n').map((line, row) => (
              <li key={row}>{inline(line.replace(/^- /, ''))}</li>
            ))}
          </ul>
        ) : (
          <p key={index}>{inline(block)}</p>
        ),
      )}
    </div>
  );
}

function inline(text: string): ReactNode[] {
  return text
    .split(/\*\*(.+?)\*\*/)
    .map((piece, index) => (index % 2 === 1 ? <strong key={index}>{piece}</strong> : piece));
}
