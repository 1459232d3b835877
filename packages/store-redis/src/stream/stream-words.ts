import type { StreamStatus } from '@helix-agents/core/store';
import type { StreamClose, StreamEntry } from '@helix-agents/core/store';
import { encodeId } from '../keys.ts';

/** Settings of streams. */
export interface StreamSettings {
  readonly prefix: string;
  /** How long the chunks of a stream are kept after it ended or failed, in milliseconds; 0 for ever. */
  readonly ttlMs: number;
  /** About how many of the newest chunks a stream keeps; 0 for all. */
  readonly maxChunks: number;
}

/** A status, how long the log is kept with it, and a field that is stored with it. */
export type StatusWords = readonly [status: string, ttlMs: string, field: string, value: string];

/** Instead of a status: it does not change. */
export const STAYS: StatusWords = ['', '', '', ''];

export function statusWords(
  { ttlMs }: StreamSettings,
  status: StreamStatus,
  [field, value]: readonly [string, string] = ['', ''],
): StatusWords {
  // A paused stream belongs to a session that waits for a person, and never expires.
  const kept = status === 'ended' || status === 'failed' ? ttlMs : 0;
  return [status, `${kept}`, field, value];
}

export function closeWords(settings: StreamSettings, how: StreamClose): StatusWords {
  return statusWords(settings, how.as, closeField(how));
}

function closeField(how: StreamClose): readonly [string, string] | undefined {
  if (how.as === 'failed') return ['error', JSON.stringify(how.error)];
  if (how.as !== 'ended' || how.output === undefined) return undefined;
  return ['finalOutput', JSON.stringify(how.output)];
}

/** Adds the chunks and then, if any has a dedupe key, one key for each. Gives the number of keys. */
export function pushEntries(args: (string | number)[], entries: readonly StreamEntry[]): number {
  for (const { chunk } of entries) args.push(JSON.stringify(chunk));
  if (!entries.some(({ dedupeKey }) => dedupeKey !== undefined)) return 0;
  for (const { dedupeKey } of entries) args.push(keyOf(dedupeKey));
  return entries.length;
}

/** Empty for an entry without a key; `%`, which is no encoded id, for the empty key. */
function keyOf(dedupeKey: string | undefined): string {
  return dedupeKey === undefined ? '' : encodeId(dedupeKey) || '%';
}
