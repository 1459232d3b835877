import {
  buildEffectiveTools,
  FINISH_TOOL_NAME,
  type AgentConfig,
  type Tool,
  type ToolMessage,
} from '@helix-agents/core';
import type { Ledger } from './ledger.ts';
import { unknownResults } from './story.ts';
import type { TreeDump } from './tree-dump.ts';

/**
 * Executions against the promises: `once` at most once; `retry` once, and once more per interruption of the call
 * while it was under way; always under one idempotency key. Returns what does not hold.
 */
export function checkLedger(
  dump: TreeDump,
  ledger: Ledger,
  agents: ReadonlyMap<string, AgentConfig>,
  interruptions: number,
): string[] {
  const unknown = new Set(unknownResults(dump).map((message) => message.toolCallId));
  const faults = [...ledger.faults, ...keyFaults(ledger)];
  for (const { session, messages } of dump.sessions) {
    const agent = agents.get(session.agentType);
    const tools = agent ? buildEffectiveTools(agent) : [];
    for (const message of messages) {
      if (message.role !== 'tool') continue;
      const tool = tools.find((candidate) => candidate.name === message.toolName);
      const fault =
        tool && callFault(tool, message, ledger.count(message.toolCallId), interruptions);
      if (fault) faults.push(`${message.toolCallId} ${fault}`);
      if (unknown.has(message.toolCallId) && !(tool && runsOnce(tool))) {
        faults.push(`${message.toolCallId} is unknown although it may be repeated`);
      }
    }
  }
  return faults;
}

function keyFaults(ledger: Ledger): string[] {
  const keys = new Map<string, Set<string>>();
  for (const { callId, key } of ledger.executions) {
    keys.set(callId, (keys.get(callId) ?? new Set()).add(key));
  }
  return [...keys].flatMap(([callId, used]) =>
    used.size > 1 ? [`${callId} ran under ${used.size} idempotency keys`] : [],
  );
}

function callFault(
  tool: Tool,
  message: ToolMessage,
  count: number,
  interruptions: number,
): string | null {
  const most = runsOnce(tool) ? 1 : 1 + interruptions;
  if (count > most) return `ran ${count} times, at most ${most}`;
  const isOurs = typeof tool.execute === 'function' && !tool.subAgent;
  const ran = message.success && isOurs && tool.name !== FINISH_TOOL_NAME;
  return ran && count === 0 ? 'has a result and never ran' : null;
}

/** A gate says `once` unless its tool says otherwise. */
function runsOnce({ execution, requireApproval }: Tool): boolean {
  return execution === undefined ? Boolean(requireApproval) : execution === 'once';
}
