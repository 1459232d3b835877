import { useResumableChat, type ApprovalAnswer } from '@helix-agents/ai-sdk/react';
import { useEffect } from 'react';
import { setAppearance, type Appearance } from './appearance.ts';
import { Composer, focusComposer } from './composer.tsx';
import { DownIcon } from './icons.tsx';
import { LastActions } from './last-actions.tsx';
import { Message } from './message.tsx';
import { useFollowing } from './use-following.ts';
import { Welcome } from './welcome.tsx';

interface Props {
  readonly id: string;
  readonly onChange: () => void;
  /** Something lies over it. */
  readonly inert: boolean;
}

export function Conversation({ id, onChange, inert }: Props) {
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
  const { box, away, toEnd } = useFollowing(messages);
  const last = messages.at(-1);
  const send = (text: string): void => {
    void chat.sendMessage({ text });
    toEnd();
    focusComposer();
  };
  const decide = (decision: ApprovalAnswer): void => {
    void chat.respondToApproval(decision);
    focusComposer();
  };

  return (
    <main className="chat" aria-label="Conversation" inert={inert}>
      <div className="scroll" ref={box} tabIndex={0} role="region" aria-label="Messages">
        <div className="log" role="log" aria-live="polite" aria-busy={busy}>
          {messages.length === 0 && !busy && (isLoading ? <Loading /> : <Welcome onPick={send} />)}
          {messages.map((message) => (
            <Message
              key={message.id}
              message={message as never}
              isLast={message === last}
              live={busy && message === last}
              onDecide={decide}
            />
          ))}
          {status === 'submitted' && <Thinking />}
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
        </div>
        {!busy && !error && last?.role === 'assistant' && (
          <LastActions message={last as never} onAgain={() => void chat.regenerate()} />
        )}
      </div>
      {away && (
        <button type="button" className="icon newest" onClick={toEnd}>
          <DownIcon />
          <span className="hidden">To the newest message</span>
        </button>
      )}
      <Composer busy={busy} onSend={send} onStop={() => void chat.interrupt()} />
    </main>
  );
}

function Thinking() {
  return (
    <p className="thinking">
      <span className="hidden">Thinking…</span>
      <i />
      <i />
      <i />
    </p>
  );
}

/** Where messages will be. */
function Loading() {
  return (
    <div className="loading" role="status">
      <span className="hidden">Loading the conversation…</span>
      <i />
      <i />
      <i />
    </div>
  );
}
