/** Id of the child that works for a call: `{parent}-sub-{stepId}-{index}`. The same call always names the same child. */
export function childSessionId(parentSessionId: string, stepId: number, index: number): string {
  return `${parentSessionId}-sub-${stepId}-${index}`;
}

export function parentSessionId(childId: string): string | null {
  return /^(.*)-sub-\d+-\d+$/s.exec(childId)?.[1] ?? null;
}

/** Session ids from the root down to this session, both included. */
export function routeTo(rootId: string, sessionId: string): string[] {
  const route = [sessionId];
  for (let current = sessionId; current !== rootId;) {
    const parent = parentSessionId(current);
    if (parent === null) throw new Error(`Session ${sessionId} is not below the root ${rootId}.`);
    route.unshift(parent);
    current = parent;
  }
  return route;
}
