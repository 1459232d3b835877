import type { ToolContext } from '@helix-agents/core';
import type { SessionStore } from '@helix-agents/core/store';

/** One real execution of a tool, kept outside of every store. */
export interface Execution {
  readonly tool: string;
  readonly callId: string;
  readonly sessionId: string;
  readonly key: string;
  readonly process: number;
}

/** What really happened: tool executions, prompts, and what was wrong about them at the time. */
export class Ledger {
  readonly executions: Execution[] = [];
  readonly faults: string[] = [];
  prompts: number = 0;

  count(callId: string): number {
    return this.executions.filter((entry) => entry.callId === callId).length;
  }

  started(tool: string): boolean {
    return this.executions.some((entry) => entry.tool === tool);
  }

  /** Notes that a process executes a tool of the tree under `rootId`. */
  async enter(
    store: SessionStore,
    rootId: string,
    tool: string,
    context: ToolContext,
    process: { readonly number: number; readonly wasPaused: boolean },
  ): Promise<void> {
    const { toolCallId: callId, sessionId, idempotencyKey: key } = context;
    this.executions.push({ tool, callId, sessionId, key, process: process.number });
    // A process that was paused may still perform the one call it had decided on.
    if (!process.wasPaused && (await isRecorded(store, { rootId, sessionId }, callId))) {
      this.faults.push(`${tool} (${callId}) was executed although its result was recorded`);
    }
  }
}

async function isRecorded(
  store: SessionStore,
  ref: { rootId: string; sessionId: string },
  callId: string,
): Promise<boolean> {
  const step = await store.readStep(ref);
  const plan = step?.journal.find((row) => row.kind === 'plan');
  const call = plan?.kind === 'plan' && plan.data.calls.find((one) => one.callId === callId);
  if (call && step?.journal.some((row) => row.kind === 'result' && row.index === call.index)) {
    return true;
  }
  const messages = await store.readMessages(ref);
  return messages.some(({ message }) => message.role === 'tool' && message.toolCallId === callId);
}
