import { responseError } from '../client/errors.ts';
import { helixHeaders } from '../client/prepare-requests.ts';

/** What `buildSnapshot` returned, as a page reads it. */
export interface HydratedSnapshot {
  readonly messages: readonly object[];
  readonly streamSequence: number;
  readonly existingMessageId?: string;
  readonly status?: string;
}

export interface SnapshotRequest {
  readonly api: string;
  readonly id: string;
  /** Null when there is nothing after this number. */
  readonly after?: number;
  readonly fetch?: typeof globalThis.fetch;
  readonly headers?: HeadersInit | (() => HeadersInit | Promise<HeadersInit>);
  readonly credentials?: RequestCredentials;
}

/** `GET {api}/{id}/snapshot`. */
export async function fetchSnapshot(request: SnapshotRequest): Promise<HydratedSnapshot | null> {
  const { api, id, after, headers, credentials } = request;
  const own = typeof headers === 'function' ? await headers() : headers;
  const response = await (request.fetch ?? globalThis.fetch)(
    `${api}/${encodeURIComponent(id)}/snapshot`,
    {
      headers: helixHeaders({ resumeFromSequence: after }, own),
      ...(credentials && { credentials }),
    },
  );
  if (response.status === 204) return null;
  if (!response.ok) throw await responseError(response);
  return (await response.json()) as HydratedSnapshot;
}
