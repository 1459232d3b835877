/** Turns a given number into a chunk number: whole, not below 0, and below the largest safe integer. NaN becomes 0. */
export function toCursor(given: number): number {
  if (Number.isNaN(given)) return 0;
  return Math.floor(Math.min(Math.max(given, 0), Number.MAX_SAFE_INTEGER - 1));
}
