import { useState } from 'react';
import { FileChip, MOST_BYTES, readFile, type AttachedFile } from './files.tsx';
import { ClipIcon, SendIcon, StopIcon } from './icons.tsx';

interface Props {
  readonly busy: boolean;
  readonly onSend: (text: string, files: readonly AttachedFile[]) => void;
  readonly onStop: () => void;
}

/** After an answer its buttons are gone: the keyboard goes on here. A finger needs none on its screen. */
export function focusComposer(): void {
  if (matchMedia('(pointer: coarse)').matches) return;
  document.getElementById('composer')?.focus();
}

export function Composer({ busy, onSend, onStop }: Props) {
  const [text, setText] = useState('');
  const { files, problem, attach, remove, clear } = useAttachments();
  const empty = text.trim() === '' && files.length === 0;
  const send = (): void => {
    if (empty || busy) return;
    onSend(text.trim(), files);
    setText('');
    clear();
  };
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {files.length > 0 && (
        <div className="attached">
          {files.map((file, index) => (
            <FileChip key={index} file={file} onRemove={() => remove(file)} />
          ))}
        </div>
      )}
      {problem && (
        <p className="small bad-text" role="alert">
          {problem}
        </p>
      )}
      <div className="field">
        <label className="attach" title="Attach files">
          <ClipIcon />
          <span className="hidden">Attach files</span>
          <input
            type="file"
            multiple
            className="hidden"
            onChange={({ target }) => {
              void attach([...(target.files ?? [])]);
              target.value = '';
            }}
          />
        </label>
        <label className="hidden" htmlFor="composer">
          Message
        </label>
        <textarea
          id="composer"
          rows={1}
          autoFocus
          placeholder="Where would you like to go?"
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
          <button type="submit" className="round" disabled={empty}>
            <SendIcon />
            <span className="hidden">Send</span>
          </button>
        )}
      </div>
      <p className="hint quiet" aria-hidden>
        <kbd>Enter</kbd> sends, <kbd>Shift Enter</kbd> adds a line, <kbd>Esc</kbd> stops
      </p>
    </form>
  );
}

/** Files to go with the next message, as many as fit into one request. */
function useAttachments() {
  const [files, setFiles] = useState<readonly AttachedFile[]>([]);
  const [problem, setProblem] = useState('');
  const attach = async (chosen: readonly File[]): Promise<void> => {
    try {
      const all = [...files, ...(await Promise.all(chosen.map(readFile)))];
      const tooMuch = all.reduce((sum, { url }) => sum + url.length, 0) > MOST_BYTES * 1.4;
      setProblem(tooMuch ? 'Attachments can be up to 2.5 MB in total.' : '');
      if (!tooMuch) setFiles(all);
    } catch {
      setProblem('This file could not be read.');
    }
  };
  return {
    files,
    problem,
    attach,
    remove: (file: AttachedFile): void => setFiles(files.filter((one) => one !== file)),
    clear: (): void => setFiles([]),
  };
}
