import { isRoot } from '@helix-agents/core/store';
import type { StreamChunk } from '@helix-agents/core';
import type { TreeDump } from './tree-dump.ts';

/** What must hold of the stream of a tree that has ended. Returns what does not. */
export function checkStream(dump: TreeDump): string[] {
  const chunks = dump.chunks.map((stored) => stored.chunk);
  return [
    ...numberFaults(dump),
    ...askFaults(dump, chunks),
    ...endFaults(dump, chunks),
    ...resultFaults(dump, chunks),
    ...childFaults(dump, chunks),
    ...textFaults(dump, chunks),
  ];
}

function numberFaults({ chunks, stream, sessions }: TreeDump): string[] {
  const faults: string[] = [];
  const wrong = chunks.findIndex((stored, position) => stored.sequence !== position + 1);
  if (wrong !== -1) faults.push(`chunk ${wrong + 1} has number ${chunks[wrong]?.sequence}`);
  const status = sessions[0]?.session.status === 'completed' ? 'ended' : 'failed';
  if (stream?.status !== status) faults.push(`the stream is ${stream?.status}, not ${status}`);
  return faults;
}

/** Every human call was announced, and once. */
function askFaults({ calls }: TreeDump, chunks: readonly StreamChunk[]): string[] {
  return calls.flatMap(({ toolCallId, kind }) => {
    const type = kind === 'approval' ? 'tool_approval_request' : 'tool_start';
    const asked = chunks.filter((chunk) => chunk.type === type && chunk.toolCallId === toolCallId);
    return asked.length === 1 ? [] : [`call ${toolCallId} was announced ${asked.length} times`];
  });
}

/** Every run of the root began and ended once. One that was stopped or aborted while it waited had ended as suspended before. */
function endFaults({ sessions }: TreeDump, chunks: readonly StreamChunk[]): string[] {
  const named = (runId: string, types: readonly string[]): number =>
    chunks.filter(
      (chunk) => types.includes(chunk.type) && 'runId' in chunk && chunk.runId === runId,
    ).length;
  return (sessions[0]?.runs ?? []).flatMap(({ runId, turn }) => {
    const began = named(runId, ['run_started', 'run_resumed']);
    const suspended = named(runId, ['run_suspended']);
    const over = named(runId, ['run_completed', 'run_failed', 'run_interrupted']);
    const ended = over + (over === 1 && suspended === 1 ? 0 : suspended);
    const faults: string[] = [];
    if (began !== 1) faults.push(`run ${turn} began ${began} times`);
    if (ended !== 1) faults.push(`run ${turn} ended ${ended} times`);
    return faults;
  });
}

/** Every result in a transcript was announced, once, and not withdrawn. */
function resultFaults({ sessions }: TreeDump, chunks: readonly StreamChunk[]): string[] {
  const ends = new Map<
    string,
    { readonly step: number; readonly agentId: string; count: number }
  >();
  for (const chunk of chunks) {
    if (chunk.type === 'tool_end') {
      const known = ends.get(chunk.toolCallId);
      const { step, agentId } = chunk;
      ends.set(chunk.toolCallId, { step, agentId, count: (known?.count ?? 0) + 1 });
    }
    if (chunk.type !== 'step_discarded') continue;
    for (const [id, { step, agentId }] of ends) {
      if (step === chunk.step && agentId === chunk.agentId) ends.delete(id);
    }
  }
  return sessions.flatMap(({ messages }) =>
    messages.flatMap((message) => {
      if (message.role !== 'tool') return [];
      const count = ends.get(message.toolCallId)?.count ?? 0;
      return count === 1 ? [] : [`the end of ${message.toolCallId} was announced ${count} times`];
    }),
  );
}

/** Every child that was started was announced to begin and to end, once. */
function childFaults({ sessions }: TreeDump, chunks: readonly StreamChunk[]): string[] {
  return sessions.flatMap(({ session }) => {
    if (isRoot(session) || session.turn === 0) return [];
    const count = (type: string): number =>
      chunks.filter(
        (chunk) =>
          chunk.type === type &&
          'subSessionId' in chunk &&
          chunk.subSessionId === session.sessionId,
      ).length;
    const [began, ended] = [count('subagent_start'), count('subagent_end')];
    if (began === 1 && ended === 1) return [];
    return [`${session.sessionId} was announced to begin ${began} and to end ${ended} times`];
  });
}

/** What is left of the text after withdrawals is what the transcript says. */
function textFaults({ sessions }: TreeDump, chunks: readonly StreamChunk[]): string[] {
  return sessions.flatMap(({ session, messages }) => {
    const texts = new Map<number, string>();
    for (const chunk of chunks) {
      if (chunk.agentId !== session.sessionId) continue;
      if (chunk.type === 'step_discarded') texts.delete(chunk.step);
      if (chunk.type === 'text_delta') {
        texts.set(chunk.step, (texts.get(chunk.step) ?? '') + chunk.delta);
      }
    }
    const streamed = [...texts].sort(([a], [b]) => a - b).map(([, text]) => text);
    const said = messages
      .filter((message) => message.role === 'assistant' && message.content !== '')
      .map((message) => message.content);
    return JSON.stringify(streamed) === JSON.stringify(said)
      ? []
      : [`${session.sessionId} streamed ${JSON.stringify(streamed)}, said ${JSON.stringify(said)}`];
  });
}
