const MAX_LENGTH = 500;

const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/\bbearer\s+[^\s"',}]+/gi, 'Bearer [redacted]'],
  [/\b(https?:\/\/)[^\s/@"']+@/gi, '$1[redacted]@'],
  [/\b(https?:\/\/[^\s?"'<>)]+)\?[^\s"'<>)]*/gi, '$1?[redacted]'],
  [
    /\b((?:x-)?api[-_ ]?key|access[-_ ]?token|token|secret|password|authorization)(["']?\s*[:=]\s*["']?)[^\s"',}]+/gi,
    '$1$2[redacted]',
  ],
  [/\b(?:sk|pk|rk|gsk|xai|pplx|hf|r8)[-_][A-Za-z0-9*_-]{6,}/g, '[redacted]'],
  [/\bAIza[0-9A-Za-z_-]{10,}/g, '[redacted]'],
];

/** A provider's words without what looks like a key, in a length one can read. */
export function redact(text: string): string {
  const clean = SECRETS.reduce((said, [secret, shown]) => said.replace(secret, shown), text);
  return clean.length > MAX_LENGTH ? `${clean.slice(0, MAX_LENGTH)}…` : clean;
}
