// If this fails: committed steps stay unannounced after a crash, or a whole history is read to find them.
import { describe, expect, it } from 'vitest';
import type { Announcer } from '../src/engine/announce/announcer.ts';
import { StreamTail } from '../src/engine/announce/stream-tail.ts';
import type { StepView } from '../src/engine/rows/step-view.ts';
import type { ChunkType } from '../src/stream/chunks.ts';
import type { StoredChunk } from '../src/stream/stream-manager.ts';
import { reference, session } from './step-kit.ts';

/** `session:step type`, oldest first. */
type Log = readonly `${string}:${number} ${ChunkType}`[];

const STEP_5 = ['s:5 tool_end', 's:5 step_committed'] as const;
const STEP_6 = ['s:6 tool_end', 's:6 step_committed'] as const;
const text = (sessionId: string, count: number): Log =>
  Array.from({ length: count }, () => `${sessionId}:7 text_delta` as const);

/** The session is at step 7: 6 is the last committed one. */
const TAILS: readonly (readonly [string, Log, number])[] = [
  ['I2 the last step is committed', [...STEP_5, ...STEP_6], 7],
  ['I2 the last step has chunks and no commit', [...STEP_5, 's:6 tool_end'], 6],
  ['I1 a chunk of the step in progress', [...STEP_5, ...STEP_6, 's:7 text_delta'], 7],
  ['I2 a gap before a committed step', ['s:4 tool_end', 's:4 step_committed', ...STEP_6], 5],
  ['I1 chunks of the run, not of a step, count for nothing', [...STEP_5, 's:7 run_started'], 6],
  ['I1 a hook or tool that adds chunks counts for nothing', [...STEP_5, 's:7 custom'], 6],
  ['I3 an empty stream', [], 1],
  ['I3 only others have written', ['other:1 text_delta'], 1],
  ['I1 only a child of the step has written', ['child:1 text_delta'], 7],
  ['I1 the step in progress has written a lot', [...STEP_5, ...text('s', 300)], 7],
  ['a child has written a lot since', [...STEP_6, ...text('child', 300)], 7],
];

describe('StreamTail.firstUnannounced, for a session at step 7', () => {
  it.each(TAILS)('%s', async (_, log, expected) => {
    const { announcer } = logged(log);
    const tail = new StreamTail(announcer, 's');
    expect(await tail.firstUnannounced(view(7))).toBe(expected);
  });

  it('reads at most four pages', async () => {
    const { announcer, reads } = logged(text('other', 1_000));
    await new StreamTail(announcer, 's').firstUnannounced(view(7));
    expect(reads()).toBe(4);
  });

  it('reads nothing for a session in its first step', async () => {
    const { announcer, reads } = logged([]);
    expect(await new StreamTail(announcer, 's').firstUnannounced(view(1))).toBe(1);
    expect(reads()).toBe(0);
  });

  it('reads once for all sessions that the same pages show', async () => {
    const { announcer, reads } = logged([...STEP_5, 'child:1 step_committed', ...STEP_6]);
    const tail = new StreamTail(announcer, 's');
    await tail.firstUnannounced(view(7));
    await tail.firstUnannounced(view(7));
    expect(reads()).toBe(1);
  });
});

/** With a child that works for the step in progress. */
function view(stepId: number): Pick<StepView, 'session' | 'references'> {
  return { session: session({ stepId }), references: [{ ...reference(0), stepId }] };
}

function logged(log: Log): { announcer: Pick<Announcer, 'readBefore'>; reads: () => number } {
  let reads = 0;
  const chunks = log.map((line, position): StoredChunk => {
    const [, agentId, step, type] = /^(\w+):(\d+) (\w+)$/.exec(line) ?? [];
    const base = { agentId: agentId ?? '', agentType: 'agent', step: Number(step), timestamp: 0 };
    return { sequence: position + 1, chunk: { type, ...base } as StoredChunk['chunk'] };
  });
  const readBefore: Announcer['readBefore'] = async (_, before, limit) => {
    reads += 1;
    return chunks.slice(0, before === null ? undefined : before - 1).slice(-limit);
  };
  return { announcer: { readBefore }, reads: () => reads };
}
