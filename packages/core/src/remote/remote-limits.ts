/** What a server trusts another one with. */
export interface RemoteLimits {
  /** Of a request; 1,048,576 by default. */
  readonly requestBytes: number;
  /** Of a reply that is no stream; 4,194,304 by default. */
  readonly replyBytes: number;
  /** Of a chunk; larger ones are left out. 262,144 by default. */
  readonly chunkBytes: number;
  /** Open calls in a status; 100 by default. */
  readonly openCalls: number;
  /** Until a reply is complete; 30,000 by default. */
  readonly replyMs: number;
  /** For which a stream may be silent; 45,000 by default. */
  readonly silentMs: number;
}

export const REMOTE_LIMITS: RemoteLimits = {
  requestBytes: 1_048_576,
  replyBytes: 4_194_304,
  chunkBytes: 262_144,
  openCalls: 100,
  replyMs: 30_000,
  silentMs: 45_000,
};
