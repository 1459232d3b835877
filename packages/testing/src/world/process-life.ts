/** Whether the process of an executor is alive, for hosts whose engine detects dead workers. */
export interface ProcessLife {
  /** It was killed, or is paused right now. */
  readonly isSilent: boolean;
  /** Resolves at once while it lives, after `wake` when it is paused, never when it was killed. */
  pass(): Promise<void>;
}
