/** A number of a chunk as anybody may give it: whole, not below 0, and with a next one. What is no number stands for 0. */
export function toCursor(given: number): number {
  if (Number.isNaN(given)) return 0;
  return Math.floor(Math.min(Math.max(given, 0), Number.MAX_SAFE_INTEGER - 1));
}
