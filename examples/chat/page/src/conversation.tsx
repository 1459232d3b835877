import { useHelixChat } from '@helix-agents/ai-sdk/react';
import { useEffect } from 'react';
import { setAppearance, type Appearance } from './appearance.ts';
import { Composer, focusComposer } from './composer.tsx';
import type { AttachedFile } from './files.tsx';
import { DownIcon } from './icons.tsx';
import { LastActions } from './last-actions.tsx';
import { Message } from './message.tsx';
import { useFollowing } from './use-following.ts';
import { useToolSchemas } from './use-tool-schemas.ts';
import { Welcome } from './welcome.tsx';

interface Props {
  readonly id: string;
  readonly onChange: () => void;
  /** Something lies over it. */
  readonly inert: boolean;
}

export function Conversation({ id, onChange, inert }: Props) {
  const schemas = useToolSchemas();
  const chat = useHelixChat({
    id,
    api: 'api/chat',
    toolHandlers: {
      set_appearance: async (wanted: Partial<Appearance>) => setAppearance(wanted),
    },
  });
  const { messages, status, error, isLoading, connected } = chat;
  const busy = status === 'submitted' || status === 'streaming';
  useEffect(onChange, [status, onChange]);
  const { box, away, toEnd } = useFollowing(messages);
  const last = messages.at(-1);
  const send = (text: string, files: readonly AttachedFile[] = []): void => {
    void chat.sendMessage(text === '' ? { files: [...files] } : { text, files: [...files] });
    toEnd();
    focusComposer();
  };
  // A conversation that could not be loaded is loaded; a turn that failed is tried again.
  const tryAgain = (): void =>
    void (messages.length === 0 ? chat.resync().catch(() => undefined) : chat.regenerate());

  return (
    <main className="chat" aria-label="Conversation" inert={inert}>
      <div className="scroll" ref={box} tabIndex={0} role="region" aria-label="Messages">
        <div className="log" role="log" aria-live="polite" aria-busy={busy}>
          {messages.length === 0 &&
            !busy &&
            !error &&
            (isLoading ? <Loading /> : <Welcome onPick={send} />)}
          {messages.map((message) => (
            <Message
              key={message.id}
              message={message as never}
              chat={chat}
              schemas={schemas}
              isLast={message === last}
              live={busy && message === last}
              onDecided={focusComposer}
            />
          ))}
          {status === 'submitted' && <Thinking />}
          <Notices {...{ error, connected, tryAgain }} />
        </div>
        {!busy && !error && last?.role === 'assistant' && (
          <LastActions message={last as never} onAgain={() => void chat.regenerate()} />
        )}
      </div>
      {away && (
        <button type="button" className="icon newest" onClick={toEnd}>
          <DownIcon />
          <span className="hidden">Jump to the latest message</span>
        </button>
      )}
      <Composer busy={busy} onSend={send} onStop={() => void chat.interrupt()} />
    </main>
  );
}

interface NoticesProps {
  readonly error: Error | undefined;
  readonly connected: boolean;
  readonly tryAgain: () => void;
}

function Notices({ error, connected, tryAgain }: NoticesProps) {
  return (
    <>
      {error && (
        <div className="notice bad" role="alert">
          <span>{error.message}</span>
          <button type="button" className="small" onClick={tryAgain}>
            Try again
          </button>
        </div>
      )}
      {!connected && (
        <p className="notice" role="status">
          Reconnecting…
        </p>
      )}
    </>
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
