import type { Columns, Line, Lines } from './columns.ts';

/** JSON without line breaks, NUL or lone surrogates, which are escaped. */
export function toJson(value: unknown): string {
  return value === undefined ? 'null' : JSON.stringify(value);
}

/** `names` are in the order of the lines. Throws for a property without a line. */
export function encodeLines<Row extends object>(
  lines: Lines<Row>,
  names: readonly (keyof Row)[],
  row: Partial<Row>,
): string {
  for (const name of Object.keys(row)) lineOf(lines, name);
  return names.map((name) => toJson(row[name])).join('\n');
}

export function decodeLines<Row>(names: readonly (keyof Row)[], text: string): Row {
  const row: Partial<Record<keyof Row, unknown>> = {};
  let from = 0;
  for (const name of names) {
    const end = text.indexOf('\n', from);
    row[name] = from > text.length ? null : fromJson(text.slice(from, end < 0 ? undefined : end));
    from = end < 0 ? text.length + 1 : end + 1;
  }
  return row as Row;
}

export function decodeColumns<Row>(
  names: readonly (keyof Row)[],
  values: readonly (string | null)[],
): Row {
  const row: Partial<Record<keyof Row, unknown>> = {};
  for (const [place, name] of names.entries()) row[name] = fromJson(values[place]);
  return row as Row;
}

/** The properties that are set, as pairs of line number and JSON. Throws for a property without a line. */
export function encodeChanges<Row>(lines: Lines<Row>, set: Partial<Row>): string[] {
  return Object.entries(set).flatMap(([name, value]) =>
    value === undefined ? [] : [`${lineOf(lines, name).number}`, toJson(value)],
  );
}

function lineOf<Row>(lines: Lines<Row>, name: string): Line {
  if (!Object.hasOwn(lines, name)) throw unknownColumn(name);
  return lines[name as keyof Row];
}

/** Throws for a property that a hash has no column for. */
export function assertColumn<Row>(columns: Columns<Row>, name: string): void {
  if (!Object.hasOwn(columns, name)) throw unknownColumn(name);
}

function unknownColumn(name: string): TypeError {
  return new TypeError(
    `The Redis store has no column for "${name}": its value would be lost. Use the same version of @helix-agents/core and @helix-agents/store-redis.`,
  );
}

/** Decodes an insert-only row, which is stored as a time, a line break and JSON. */
export function decodeStamped(text: string): { readonly time: number; readonly body: unknown } {
  const end = text.indexOf('\n');
  return { time: Number(text.slice(0, end)), body: JSON.parse(text.slice(end + 1)) };
}

/** Most values are numbers and plain texts, which need no parser. */
export function fromJson(text: string | null | undefined): unknown {
  if (text === null || text === undefined) return null;
  const first = text.charCodeAt(0);
  if (first >= 48 && first <= 57) return Number(text);
  if (first === 34 && !text.includes('\\')) return text.slice(1, -1);
  return JSON.parse(text);
}
