const FIRST_HASH: readonly number[] = primes(8).map((prime) => fraction(prime ** (1 / 2)));
const ROUND_CONSTANTS: readonly number[] = primes(64).map((prime) => fraction(prime ** (1 / 3)));

/**
 * SHA-256 as hex digits, at once: the platform's own is asynchronous and takes ten times as long for a short text. For ids, not for
 * secrets.
 */
export function sha256Hex(text: string): string {
  const words = padded(new TextEncoder().encode(text));
  const hash = Int32Array.from(FIRST_HASH);
  const schedule = new Int32Array(64);
  for (let block = 0; block < words.length; block += 16) {
    expand(schedule, words.subarray(block, block + 16));
    compress(hash, schedule);
  }
  return Array.from(hash, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

/** The bytes as big-endian words, a one bit, zeros, and the length in bits. */
function padded(bytes: Uint8Array): Int32Array {
  const words = new Int32Array(Math.ceil((bytes.length + 9) / 64) * 16);
  for (const [at, byte] of [...bytes, 0x80].entries())
    words[at >> 2] = wordAt(words, at >> 2) | (byte << (24 - (at % 4) * 8));
  words[words.length - 2] = Math.floor((bytes.length * 8) / 2 ** 32);
  words[words.length - 1] = (bytes.length * 8) | 0;
  return words;
}

function expand(schedule: Int32Array, block: Int32Array): void {
  schedule.set(block);
  for (let at = 16; at < 64; at += 1) {
    const early = wordAt(schedule, at - 15);
    const late = wordAt(schedule, at - 2);
    const s0 = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3);
    const s1 = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10);
    schedule[at] = (wordAt(schedule, at - 16) + s0 + wordAt(schedule, at - 7) + s1) | 0;
  }
}

function compress(hash: Int32Array, schedule: Int32Array): void {
  let [a, b, c, d, e, f, g, h] = hash as unknown as EightWords;
  for (let at = 0; at < 64; at += 1) {
    const s1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
    const first =
      (h + s1 + ((e & f) ^ (~e & g)) + (ROUND_CONSTANTS[at] as number) + wordAt(schedule, at)) | 0;
    const s0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
    const second = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  for (const [at, word] of [a, b, c, d, e, f, g, h].entries()) hash[at] = wordAt(hash, at) + word;
}

type EightWords = [number, number, number, number, number, number, number, number];

function wordAt(words: Int32Array, at: number): number {
  return words[at] as number;
}

function turn(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

/** The first 32 bits behind the point. */
function fraction(root: number): number {
  return ((root - Math.floor(root)) * 2 ** 32) | 0;
}

function primes(count: number): number[] {
  const found: number[] = [];
  for (let next = 2; found.length < count; next += 1)
    if (found.every((prime) => next % prime !== 0)) found.push(next);
  return found;
}
