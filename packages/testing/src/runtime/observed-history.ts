import { isRoot } from '@helix-agents/core/store';
import type { Message, OpenCallRow, RunRow, SessionRow, StoredChunk } from '@helix-agents/core';
import { standing } from './invariants.ts';
import type { World } from './world.ts';

/**
 * What people and programs can see of a world, without times, random ids and the order of what happens side by side. The same
 * scenario leaves the same history on every runtime.
 */
export async function observedHistory(world: World): Promise<object> {
  const sessions = [...(await world.sessions())].toSorted((a, b) =>
    a.sessionId.localeCompare(b.sessionId),
  );
  const observed = [];
  for (const session of sessions) {
    const runs = await world.runs(session.sessionId);
    observed.push({
      ...sessionView(session),
      messages: (await world.messages(session.sessionId)).map(messageView),
      runs: runs.map(runView),
    });
  }
  const roots = sessions.filter(isRoot);
  const trees = [];
  for (const { sessionId, streamId } of roots) {
    const calls = await world.calls(sessionId);
    const chunks = standing(await world.chunks(streamId));
    trees.push({
      sessionId,
      calls: calls.map(callView).toSorted((a, b) => a.toolCallId.localeCompare(b.toolCallId)),
      chunks: chunks.flatMap(chunkView).toSorted(),
    });
  }
  return { sessions: observed, trees };
}

function sessionView(session: SessionRow): object {
  const { sessionId, agentType, status, stepId, stepCount, customState, output, closed } = session;
  const error = session.error?.code ?? null;
  return { sessionId, agentType, status, stepId, stepCount, customState, output, closed, error };
}

function messageView(message: Message): object {
  const { id: _, ...rest } = message as Message & { id?: string };
  return JSON.parse(JSON.stringify(rest)) as object;
}

function runView({ turn, status, trigger, stepCount }: RunRow): object {
  return { turn, status, trigger, stepCount };
}

function callView({ toolCallId, kind, state, outcome, ownerSessionId, toolName }: OpenCallRow): {
  toolCallId: string;
} {
  return { toolCallId, kind, state, outcome, ownerSessionId, toolName } as { toolCallId: string };
}

/** How text is cut into pieces is chance; what they add up to is in the messages. Runs are compared by their records. */
const PIECES = new Set([
  'run_started',
  'run_resumed',
  'text_delta',
  'thinking',
  'tool_arg_stream_start',
  'tool_arg_stream_delta',
]);

function chunkView({ chunk }: StoredChunk): string[] {
  if (PIECES.has(chunk.type) || chunk.type === 'step_discarded') return [];
  // Announced before the work is done: after a crash such a chunk may be withdrawn, or stay and not be repeated.
  if (chunk.type === 'custom' || (chunk.type === 'tool_start' && chunk.execute !== 'client'))
    return [];
  const about = 'toolCallId' in chunk ? chunk.toolCallId : 'turn' in chunk ? chunk.turn : '';
  return [`${chunk.type} ${chunk.agentId} ${chunk.step} ${about}`];
}
