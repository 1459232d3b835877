/** Id of the child that works for a call: the same call always names the same child. */
export function childSessionId(parentSessionId: string, stepId: number, index: number): string {
  return `${parentSessionId}-sub-${stepId}-${index}`;
}

/** Ids of this form are kept free for children. */
export function isChildId(sessionId: string): boolean {
  return /-sub-\d+-\d+$/.test(sessionId);
}
