import { encodeText, type SqlParam, type Statement } from '@helix-agents/store-sql';
import { ValueTooLargeError } from './value-too-large-error.ts';

/** What Durable Objects take as one text, and as one row. The simulator takes more, so it is checked here. */
export const MAX_ROW_BYTES = 2_000_000;

const utf8 = new TextEncoder();

/** The parameters as they are sent. Refuses what is too large for a row before anything is written. */
export function bindable({ params }: Statement): SqlParam[] {
  let chars = 0;
  const values = params.map((param) => {
    if (typeof param !== 'string') return param ?? null;
    const text = encodeText(param);
    chars += text.length;
    return text;
  });
  // A character is at most three bytes, so most statements need no counting.
  if (chars * 3 > MAX_ROW_BYTES) {
    const bytes = values.reduce<number>((sum, value) => sum + bytesOf(value), 0);
    if (bytes > MAX_ROW_BYTES) throw new ValueTooLargeError(bytes, MAX_ROW_BYTES);
  }
  return values;
}

function bytesOf(value: SqlParam): number {
  return typeof value === 'string' ? utf8.encode(value).length : 0;
}
