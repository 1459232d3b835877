import type { StreamEntry } from '@helix-agents/core/store';

/** Drops entries that repeat a dedupe key, for a write that looks up known keys only once, before its own. */
export function firstOfEachKey(entries: readonly StreamEntry[]): readonly StreamEntry[] {
  const seen = new Set<string>();
  return entries.filter(({ dedupeKey }) => {
    if (dedupeKey === undefined) return true;
    if (seen.has(dedupeKey)) return false;
    seen.add(dedupeKey);
    return true;
  });
}
