/** Random bytes for the next ids. */
const pool = new Uint8Array(16 * 128);
let used = pool.length;

/**
 * A random UUID, version 4. The one that `crypto.randomUUID` makes in Node is held as thirty pieces of text, 490 bytes, for
 * as long as anybody keeps it; this one takes 66.
 */
export function randomId(): string {
  if (used === pool.length) {
    crypto.getRandomValues(pool);
    used = 0;
  }
  const p = used;
  used += 16;
  pool[p + 6] = (byte(p + 6) & 0x0f) | 0x40;
  pool[p + 8] = (byte(p + 8) & 0x3f) | 0x80;
  // prettier-ignore
  return String.fromCharCode(
    high(p), low(p), high(p + 1), low(p + 1), high(p + 2), low(p + 2), high(p + 3), low(p + 3), DASH,
    high(p + 4), low(p + 4), high(p + 5), low(p + 5), DASH,
    high(p + 6), low(p + 6), high(p + 7), low(p + 7), DASH,
    high(p + 8), low(p + 8), high(p + 9), low(p + 9), DASH,
    high(p + 10), low(p + 10), high(p + 11), low(p + 11), high(p + 12), low(p + 12),
    high(p + 13), low(p + 13), high(p + 14), low(p + 14), high(p + 15), low(p + 15),
  );
}

const DASH = 45;
const DIGITS = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));

function byte(index: number): number {
  return pool[index] as number;
}

function high(index: number): number {
  return DIGITS[byte(index) >> 4] as number;
}

function low(index: number): number {
  return DIGITS[byte(index) & 0x0f] as number;
}
