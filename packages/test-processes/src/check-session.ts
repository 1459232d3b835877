import type { ToolMessage } from '@helix-agents/core';
import { checkTree, dumpTree, type TreeDump } from '@helix-agents/testing/tree';
import { readExecutions } from './ledger.ts';
import type { Stores } from './store-address.ts';

export interface Checked {
  readonly dump: TreeDump;
  readonly faults: readonly string[];
  /** Results of the root's transcript: tool name and error code, or `ok`. */
  readonly results: readonly string[];
}

/** Rows, stream and ledger of one session that has ended. `interruptions`: how often its processes were stopped. */
export async function checkSession(
  stores: Stores,
  ledger: string,
  sessionId: string,
  interruptions: number,
): Promise<Checked> {
  const { stateStore, streamManager } = stores;
  const databases = { of: () => stateStore.sessions };
  const dump = await dumpTree({ databases, streamManager }, sessionId);
  const faults = checkTree(dump);
  const tools = dump.sessions.flatMap(({ session, messages }) =>
    messages.flatMap((message) =>
      message.role === 'tool' ? [{ message, sessionId: session.sessionId }] : [],
    ),
  );
  const executions = readExecutions(ledger);
  for (const { message, sessionId: owner } of tools) {
    const key = `${owner}/${message.toolCallId}`;
    const count = executions.filter((entry) => entry.key === key).length;
    const fault = ledgerFault(message, count, interruptions);
    if (fault) faults.push(`${key} ${fault}`);
  }
  const root = tools.filter(({ sessionId: owner }) => owner === sessionId);
  const results = root.map(
    ({ message }) => `${message.toolName} ${message.errorDetail?.code ?? 'ok'}`,
  );
  return { dump, faults, results };
}

function ledgerFault(message: ToolMessage, count: number, interruptions: number): string | null {
  const most = message.toolName === 'send' ? 1 : 1 + interruptions;
  if (count > most) return `was executed ${count} times, at most ${most}`;
  const executed = ['look', 'dig', 'send', 'slow', 'quick'].includes(message.toolName);
  return executed && message.success && count === 0 ? 'has a result and was never executed' : null;
}
