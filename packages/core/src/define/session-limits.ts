/** Limits of a new session, the same for every way to create one. These fields are read with each session row and listed. */
export const SESSION_LIMITS: {
  readonly metadataBytes: number;
  readonly metadataEntries: number;
  readonly tags: number;
  readonly tagLength: number;
  readonly stateBytes: number;
  readonly messages: number;
  readonly files: number;
} = {
  /** Of `metadata` as JSON; a message's too. */
  metadataBytes: 16_384,
  metadataEntries: 256,
  tags: 100,
  /** Characters. */
  tagLength: 256,
  /** Of the state that is given, as JSON. Tools may let it grow. */
  stateBytes: 1_048_576,
  /** Of one input. */
  messages: 100,
  /** Of one message. */
  files: 100,
};
