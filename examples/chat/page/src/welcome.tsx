const SUGGESTIONS = [
  {
    text: 'Plan a weekend in Lisbon',
    about: 'a sub-agent asks first; you can edit',
  },
  { text: 'Find a hotel in Rome', about: 'approve it from the inbox or a second tab' },
  { text: 'Make it teal', about: 'the agent changes your page' },
  { text: 'Tell me a long story', about: 'refresh or kill the server while it’s talking' },
];

export function Welcome({ onPick }: { readonly onPick: (text: string) => void }) {
  return (
    <section className="welcome">
      <h2>Where to?</h2>
      <p className="quiet">
        An agent that asks before it books, delegates to a sub-agent, acts in your page, and keeps
        going when you refresh or kill its server.
      </p>
      <div className="suggestions">
        {SUGGESTIONS.map(({ text, about }) => (
          <button key={text} type="button" onClick={() => onPick(text)}>
            <b>{text}</b>
            <span className="quiet small">{about}</span>
          </button>
        ))}
      </div>
    </section>
  );
}
