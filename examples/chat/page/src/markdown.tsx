import type { ReactNode } from 'react';
import { CodeBlock } from './code-block.tsx';

/** Paragraphs, headings, lists, bold, inline code and code blocks. */
export function Markdown({ text }: { readonly text: string }) {
  return (
    <div className="text">
      {/* A block that is still being written has no end yet. */}
      {text.split(/^```(.*\n[\s\S]*?)(?:^```$|(?![\s\S]))/m).map((piece, index) => {
        if (index % 2 === 0) return blocksOf(piece, index);
        const line = piece.indexOf('\n');
        return (
          <CodeBlock key={index} language={piece.slice(0, line)} code={piece.slice(line + 1)} />
        );
      })}
    </div>
  );
}

function blocksOf(text: string, at: number): ReactNode[] {
  return text
    .trim()
    .split(/\n{2,}/)
    .filter((block) => block !== '')
    .map((block, index) => {
      const key = `${at}-${index}`;
      if (/^#{1,4} /.test(block)) return <h3 key={key}>{inline(block.replace(/^#+ /, ''))}</h3>;
      if (!block.startsWith('- ')) return <p key={key}>{inline(block)}</p>;
      return (
        <ul key={key}>
          {block.split('\n').map((line, row) => (
            <li key={row}>{inline(line.replace(/^- /, ''))}</li>
          ))}
        </ul>
      );
    });
}

function inline(text: string): ReactNode[] {
  return text.split(/(\*\*.+?\*\*|`[^`\n]+`)/).map((piece, index) => {
    if (index % 2 === 0) return piece;
    return piece.startsWith('`') ? (
      <code key={index}>{piece.slice(1, -1)}</code>
    ) : (
      <strong key={index}>{piece.slice(2, -2)}</strong>
    );
  });
}
