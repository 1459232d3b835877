import type { Lines } from './columns.ts';

/** JSON without line breaks, NUL or lone surrogates: whatever was in the value is escaped. */
export function toJson(value: unknown): string {
  return value === undefined ? 'null' : JSON.stringify(value);
}

export function encodeLines<Row>(lines: readonly string[], row: Row): string {
  return lines.map((column) => toJson(row[column as keyof Row])).join('\n');
}

export function decodeLines<Row>(lines: Lines<Row>, text: string): Row {
  const row: Partial<Record<keyof Row, unknown>> = {};
  let from = 0;
  for (const column of lines) {
    const end = text.indexOf('\n', from);
    row[column] = from > text.length ? null : fromJson(text.slice(from, end < 0 ? undefined : end));
    from = end < 0 ? text.length + 1 : end + 1;
  }
  return row as Row;
}

export function decodeColumns<Row>(
  columns: readonly (keyof Row)[],
  values: readonly (string | null)[],
): Row {
  const row: Partial<Record<keyof Row, unknown>> = {};
  for (const [place, column] of columns.entries()) row[column] = fromJson(values[place]);
  return row as Row;
}

/** The fields that are there, as pairs of line number and JSON. */
export function encodeChanges<Row>(lines: readonly string[], set: Partial<Row>): string[] {
  return Object.entries(set).flatMap(([column, value]) =>
    value === undefined ? [] : [`${lines.indexOf(column) + 1}`, toJson(value)],
  );
}

/** A time, a line break, JSON: a row that is written once. */
export function decodeStamped(text: string): { readonly time: number; readonly body: unknown } {
  const end = text.indexOf('\n');
  return { time: Number(text.slice(0, end)), body: JSON.parse(text.slice(end + 1)) };
}

/** Numbers and plain texts are most of what is read; they need no parser. */
export function fromJson(text: string | null | undefined): unknown {
  if (text === null || text === undefined) return null;
  const first = text.charCodeAt(0);
  if (first >= 48 && first <= 57) return Number(text);
  if (first === 34 && !text.includes('\\')) return text.slice(1, -1);
  return JSON.parse(text);
}
