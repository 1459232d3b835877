/** Temporal's limit for ids, in bytes of UTF-8. */
const MAX_BYTES = 1_000;
/** Kept free for what follows a root's id: `__resume-N`, and `-sub-{step}-{index}` of sub-agents below it. */
const RESERVED_BYTES = 120;

/**
 * One id per owner of a session: `{prefix}__{agentType}__{sessionId}`, and `__resume-{N}` for each later claim. N comes from
 * the store (the session's epoch), so two processes cannot choose the same one for different runs, and an id that was
 * used is never used again.
 */
export function workflowId(
  prefix: string,
  run: { readonly agentType: string; readonly sessionId: string; readonly epoch: number },
): string {
  const id = `${prefix}__${run.agentType}__${run.sessionId}`;
  return run.epoch <= 1 ? id : `${id}__resume-${run.epoch - 1}`;
}

/** Why no workflow could have an id with this session; null when one can. */
export function workflowIdFault(
  prefix: string,
  agentType: string,
  sessionId: string,
): string | null {
  const id = workflowId(prefix, { agentType, sessionId, epoch: 1 });
  if (!id.isWellFormed()) return 'must be well-formed Unicode';
  const bytes = new TextEncoder().encode(id).length;
  if (bytes <= MAX_BYTES - RESERVED_BYTES) return null;
  return `makes a workflow id of ${bytes} bytes; Temporal takes ${MAX_BYTES}, of which ${RESERVED_BYTES} are kept for resumes and sub-agents: use a shorter session id`;
}
