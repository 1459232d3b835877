import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeText, encodeText } from '../src/text-codec.ts';

const plain = ['a', '😀', '\\', '"', 'u', '0', '1', 'd'];
const odd = ['\0', '\ue000', '\ud83d', '\ude00', '\u001a', '\ue0000', '\ue000ud800'];
const nearly = ['u0000', '\\u0000', '\\\\u0000', '\\ud800', 'd800', 'ud800'];
const parts = plain.concat(odd, nearly);
const texts = fc.array(fc.constantFrom(...parts), { maxLength: 12 }).map((list) => list.join(''));

it('every text is decoded as it was encoded', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const stored = encodeText(text);
      expect(stored.isWellFormed()).toBe(true);
      expect(stored).not.toContain('\0');
      expect(decodeText(stored)).toBe(text);
    }),
    { numRuns: 1_000, seed: 1 },
  );
});

it('encoded JSON is still JSON, without escapes that Postgres refuses', () => {
  fc.assert(
    fc.property(fc.dictionary(texts, texts), (value) => {
      const stored = encodeText(JSON.stringify(value));
      expect(() => JSON.parse(stored) as unknown).not.toThrow();
      expect(JSON.stringify(JSON.parse(stored))).not.toMatch(/(?<!\\)(\\\\)*\\u(0000|d[89a-f])/);
      expect(JSON.parse(decodeText(stored))).toEqual(value);
    }),
    { numRuns: 1_000, seed: 2 },
  );
});

it('plain text is not changed', () => {
  const text = JSON.stringify({ plain: 'çà 😀 \n \\ \\n 會議' });
  expect(encodeText(text)).toBe(text);
  expect(decodeText(text)).toBe(text);
});
