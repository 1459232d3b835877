import { CrossIcon, FileIcon } from './icons.tsx';

export interface AttachedFile {
  readonly type: 'file';
  readonly url: string;
  readonly mediaType: string;
  readonly filename: string;
}

/** The chat takes 4 MB in one request, and a file grows by a third on its way. */
export const MOST_BYTES = 2_500_000;

export function readFile(file: File): Promise<AttachedFile> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('error', () => reject(reader.error ?? new Error('unreadable')));
    reader.addEventListener('load', () =>
      resolve({
        type: 'file',
        url: reader.result as string,
        mediaType: file.type || 'application/octet-stream',
        filename: file.name,
      }),
    );
    reader.readAsDataURL(file);
  });
}

interface Props {
  readonly file: {
    readonly url?: string;
    readonly mediaType?: string;
    readonly filename?: string;
  };
  readonly onRemove?: () => void;
}

/** A picture is shown, anything else is named. */
export function FileChip({ file, onRemove }: Props) {
  const name = file.filename ?? 'Attachment';
  const picture = file.mediaType?.startsWith('image/') && file.url?.startsWith('data:image/');
  return (
    <span className="file">
      {picture ? <img src={file.url} alt={name} /> : <FileIcon />}
      <span className="clip small">{name}</span>
      {onRemove && (
        <button type="button" className="icon plain" onClick={onRemove}>
          <CrossIcon />
          <span className="hidden">Remove {name}</span>
        </button>
      )}
    </span>
  );
}
