import type { SessionRow } from '@helix-agents/core';
import type { ChildReferenceRow } from '@helix-agents/core/store';
import {
  CALL_LINES,
  INPUT_LINES,
  REFERENCE_LINES,
  RUN_COLUMNS,
  SESSION_COLUMNS,
  SESSION_NAMES,
  type ColumnType,
  type Line,
  type Lines,
  type StoredCall,
  type StoredInput,
} from '../rows/columns.ts';

/** Columns as scripts refer to them. All names and numbers come from rows/columns.ts, so that the compiler checks them. */

type Numbers<Row> = Readonly<Record<keyof Row, number>>;

/** `lines[${callLine.state}]` in a row that was split into its lines. */
export const callLine: Numbers<StoredCall> = numbersOf(CALL_LINES);
export const inputLine: Numbers<StoredInput> = numbersOf(INPUT_LINES);
export const referenceLine: Numbers<ChildReferenceRow> = numbersOf(REFERENCE_LINES);

/** `row[${sessionPlace.stepId}]` in what HMGET gives for `SESSION_NAMES`. */
export const sessionPlace: Numbers<SessionRow> = Object.fromEntries(
  SESSION_NAMES.map((name, place) => [name, place + 1]),
) as Numbers<SessionRow>;

/** Columns of a session as arguments of a command. */
export function sessionFields(...names: readonly (keyof SessionRow)[]): string {
  return luaList(names);
}

/** Quoted texts, separated by commas. */
export function luaList(texts: readonly string[]): string {
  return texts.map((text) => `'${text}'`).join(', ');
}

/** Lua sets of the lines, and of the fields of sessions and runs, that are times. */
export const callTimes: string = timesOf(CALL_LINES);
export const inputTimes: string = timesOf(INPUT_LINES);
export const referenceTimes: string = timesOf(REFERENCE_LINES);
export const timeFields: string = luaSet(
  Object.entries<ColumnType>({ ...SESSION_COLUMNS, ...RUN_COLUMNS })
    .filter(([, type]) => type === 'time')
    .map(([name]) => `'${name}'`),
);

function timesOf<Row>(lines: Lines<Row>): string {
  const times = Object.values<Line>(lines).filter(({ type }) => type === 'time');
  return luaSet(times.map(({ number }) => `${number}`));
}

function luaSet(keys: readonly string[]): string {
  return `{ ${keys.map((key) => `[${key}] = true`).join(', ')} }`;
}

function numbersOf<Row>(lines: Lines<Row>): Numbers<Row> {
  const entries = Object.entries<Line>(lines).map(([name, { number }]) => [name, number]);
  return Object.fromEntries(entries) as Numbers<Row>;
}
