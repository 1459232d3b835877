import type { StreamEntry } from '@helix-agents/core/store';

/** For a write that looks for known keys once, before any of its own. */
export function firstOfEachKey(entries: readonly StreamEntry[]): readonly StreamEntry[] {
  const seen = new Set<string>();
  return entries.filter(({ dedupeKey }) => {
    if (dedupeKey === undefined) return true;
    if (seen.has(dedupeKey)) return false;
    seen.add(dedupeKey);
    return true;
  });
}
