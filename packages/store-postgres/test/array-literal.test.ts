// If this fails: a list of texts is changed on its way to Postgres.
import { describeServer } from '@helix-agents/test-servers';
import { expect, it } from 'vitest';
import { arrayLiteral } from '../src/array-literal.ts';
import { decodeText } from '../src/text-codec.ts';
import { testPostgres } from './database.ts';

describeServer('postgres', () => {
  const postgres = testPostgres();

  it('Postgres reads every list as it was written', async () => {
    const control = Array.from({ length: 33 }, (_, code) => `a${String.fromCharCode(code)}b`);
    const quoted = ['', '"', '\\', '\\"', '{}', '{a,b}', ',', 'null', 'NULL', ' a ', "'", '"\n\\'];
    const odd = ['\ud800', 'a\udfff', '\ue000', '\u007f', '\u2028', '😀', '\\u0000', '\\\\n'];
    const json = [JSON.stringify({ a: '"\n\\\0' }), JSON.stringify('{"a":"\\"}')];
    const texts = [...control, ...quoted, ...odd, ...json, null];
    const { rows } = await postgres.pool.query<{ texts: (string | null)[]; numbers: string[] }>(
      'select $1::text[] as texts, $2::bigint[] as numbers',
      [arrayLiteral(texts), arrayLiteral([0, -1, Number.MAX_SAFE_INTEGER, null])],
    );
    expect(rows[0]?.texts.map((text) => text && decodeText(text))).toEqual(texts);
    expect(rows[0]?.numbers).toEqual(['0', '-1', '9007199254740991', null]);
    const { rows: none } = await postgres.pool.query('select $1::text[] as texts', [
      arrayLiteral([]),
    ]);
    expect(none).toEqual([{ texts: [] }]);
  });
});
