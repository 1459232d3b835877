import { useState } from 'react';
import { SendIcon, StopIcon } from './icons.tsx';

interface Props {
  readonly busy: boolean;
  readonly onSend: (text: string) => void;
  readonly onStop: () => void;
}

/** After an answer its buttons are gone: the keyboard goes on here. A finger needs none on its screen. */
export function focusComposer(): void {
  if (matchMedia('(pointer: coarse)').matches) return;
  document.getElementById('composer')?.focus();
}

export function Composer({ busy, onSend, onStop }: Props) {
  const [text, setText] = useState('');
  const send = (): void => {
    if (text.trim() === '' || busy) return;
    onSend(text.trim());
    setText('');
  };
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <div className="field">
        <label className="hidden" htmlFor="composer">
          Message
        </label>
        <textarea
          id="composer"
          rows={1}
          autoFocus
          placeholder="Ask for a trip, a hotel, a colour…"
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
              event.preventDefault();
              send();
            }
            if (event.key === 'Escape' && busy) onStop();
          }}
        />
        {busy ? (
          <button type="button" className="round" onClick={onStop}>
            <StopIcon />
            <span className="hidden">Stop</span>
          </button>
        ) : (
          <button type="submit" className="round" disabled={text.trim() === ''}>
            <SendIcon />
            <span className="hidden">Send</span>
          </button>
        )}
      </div>
      <p className="hint quiet" aria-hidden>
        <kbd>Enter</kbd> sends, <kbd>Shift Enter</kbd> begins a line, <kbd>Esc</kbd> stops
      </p>
    </form>
  );
}
