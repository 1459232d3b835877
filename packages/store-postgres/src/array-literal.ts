import type { SqlParam } from '@helix-agents/store-sql';
import { encodeText } from './text-codec.ts';

/** Characters that JSON escapes and an array literal does not. */
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0001-\u001f]/;

/** A list as a Postgres array literal: a string that every client sends unchanged. */
export function arrayLiteral(list: readonly SqlParam[]): string {
  let literal = '';
  for (const value of list) literal += `,${typeof value === 'string' ? quote(value) : value}`;
  return `{${literal.slice(1)}}`;
}

function quote(value: string): string {
  const text = encodeText(value);
  return CONTROL.test(text) ? `"${text.replaceAll(/["\\]/g, '\\$&')}"` : JSON.stringify(text);
}
