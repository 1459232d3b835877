import { resolveHeaders, type ConnectionOptions } from '../client/connection.ts';
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
  readonly after: number | undefined;
  readonly connection: ConnectionOptions;
}

/** `GET {api}/{id}/snapshot`. */
export async function fetchSnapshot(request: SnapshotRequest): Promise<HydratedSnapshot | null> {
  const { api, id, after, connection } = request;
  const { fetch = globalThis.fetch, headers, credentials } = connection;
  const response = await fetch(`${api}/${encodeURIComponent(id)}/snapshot`, {
    headers: helixHeaders({ resumeFromSequence: after }, await resolveHeaders(headers)),
    ...(credentials && { credentials }),
  });
  if (response.status === 204) return null;
  if (!response.ok) throw await responseError(response);
  return (await response.json()) as HydratedSnapshot;
}
