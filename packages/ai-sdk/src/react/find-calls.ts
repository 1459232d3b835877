interface Part {
  readonly type: string;
  readonly toolCallId?: string;
  readonly state?: string;
  readonly providerExecuted?: boolean;
  readonly approval?: { readonly id: string };
}

interface Messages extends Iterable<{ readonly parts: readonly object[] }> {}

function* partsOf(messages: Messages): Generator<Part> {
  for (const { parts } of messages) yield* parts as readonly Part[];
}

/** The id under which a call waits for an approval; null when it does not. */
export function findApproval(messages: Messages, toolCallId: string): string | null {
  for (const part of partsOf(messages)) {
    if (part.toolCallId === toolCallId && part.state === 'approval-requested') {
      return part.approval?.id ?? null;
    }
  }
  return null;
}

/** Whether a call of the newest message waits for a person, who may answer in another place. */
export function somethingWaits(
  messages: readonly { readonly parts: readonly object[] }[],
): boolean {
  for (const { state, providerExecuted } of partsOf(messages.slice(-1))) {
    if (state === 'approval-requested' || (state === 'input-available' && !providerExecuted))
      return true;
  }
  return false;
}
