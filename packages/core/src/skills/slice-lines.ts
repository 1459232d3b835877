import type { ReadResourceRange } from './types.ts';

/** These lines of a text. An end that is no number counts as left out, one that is out of range as the nearest line. */
export function sliceLines(text: string, range: ReadResourceRange = {}): string {
  const start = lineNumber(range.startLine, 1);
  const end = lineNumber(range.endLine, Infinity);
  if (start === 1 && end === Infinity) return text;
  return text
    .split('\n')
    .slice(start - 1, end)
    .join('\n');
}

function lineNumber(given: number | undefined, otherwise: number): number {
  if (given === undefined || typeof given !== 'number' || Number.isNaN(given)) return otherwise;
  return Math.max(1, Math.trunc(given));
}
