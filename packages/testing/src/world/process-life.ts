/** Whether the process that an executor stands for goes on. For hosts whose engine notices that. */
export interface ProcessLife {
  /** It was killed, or is paused right now. */
  readonly isSilent: boolean;
  /** Resolves at once while it lives, after `wake` when it is paused, never when it was killed. */
  pass(): Promise<void>;
}
