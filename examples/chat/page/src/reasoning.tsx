interface Props {
  readonly text: string;
  readonly live: boolean;
}

/** What the model thought before it spoke: folded, for those who want to know. */
export function Reasoning({ text, live }: Props) {
  return (
    <details className="reasoning">
      <summary>{live ? 'Thinking…' : 'Thought process'}</summary>
      <p>{text}</p>
    </details>
  );
}
