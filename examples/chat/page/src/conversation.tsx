import { useResumableChat } from '@helix-agents/ai-sdk/react';
import { useEffect, useRef } from 'react';
import { setAppearance, type Appearance } from './appearance.ts';
import { Composer } from './composer.tsx';
import { Message } from './message.tsx';

interface Props {
  readonly id: string;
  readonly onChange: () => void;
}

const SUGGESTIONS = [
  'Plan a weekend in Lisbon',
  'Find a hotel in Rome',
  'Make it teal',
  'Tell me a long story',
];

export function Conversation({ id, onChange }: Props) {
  const chat = useResumableChat({
    id,
    api: 'api/chat',
    aiSdk: 7,
    toolHandlers: {
      set_appearance: async (wanted: Partial<Appearance>) => setAppearance(wanted),
    },
  });
  const { messages, status, error, isLoading, connected } = chat;
  const busy = status === 'submitted' || status === 'streaming';
  useEffect(onChange, [status, onChange]);
  const end = useFollowing(messages);
  const last = messages.at(-1);

  return (
    <main className="chat" aria-label="Conversation">
      <div className="scroll" tabIndex={0} role="region" aria-label="Messages">
        <div className="log" role="log" aria-live="polite" aria-busy={busy}>
          {messages.length === 0 && !isLoading && !busy && (
            <Welcome onPick={(text) => void chat.sendMessage({ text })} />
          )}
          {messages.map((message) => (
            <Message
              key={message.id}
              message={message as never}
              isLast={message === last}
              live={busy && message === last}
              onDecide={(decision) => void chat.respondToApproval(decision)}
            />
          ))}
          {status === 'submitted' && <p className="thinking quiet">Thinking…</p>}
          {error && (
            <div className="notice bad" role="alert">
              <span>{error.message}</span>
              <button type="button" className="small" onClick={() => void chat.regenerate()}>
                Try again
              </button>
            </div>
          )}
          {!connected && (
            <p className="notice" role="status">
              Connection lost. Looking for it… nothing is lost.
            </p>
          )}
          <div ref={end} />
        </div>
      </div>
      <Composer
        busy={busy}
        onSend={(text) => void chat.sendMessage({ text })}
        onStop={() => void chat.interrupt()}
      />
    </main>
  );
}

function Welcome({ onPick }: { readonly onPick: (text: string) => void }) {
  return (
    <section className="welcome">
      <h2>Where to?</h2>
      <p className="quiet">
        An agent that asks before it books, hands work to a sub-agent, acts in your page, and keeps
        going when you refresh or kill its server.
      </p>
      <div className="suggestions">
        {SUGGESTIONS.map((text) => (
          <button key={text} type="button" onClick={() => onPick(text)}>
            {text}
          </button>
        ))}
      </div>
    </section>
  );
}

/** Keeps the newest words in view, unless the reader has scrolled away from them. */
function useFollowing(messages: readonly unknown[]): React.RefObject<HTMLDivElement | null> {
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const box = end.current?.closest('.scroll');
    if (!box) return;
    const away = box.scrollHeight - box.scrollTop - box.clientHeight;
    if (away < 260) box.scrollTop = box.scrollHeight;
  }, [messages]);
  return end;
}
