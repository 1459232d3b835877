import type { AgentConfig } from '../define/types.ts';
import type { LoopRun } from '../loop/host.ts';
import type { EngineContext } from '../engine/context.ts';
import type { EndedRun } from '../engine/memory/step-memory.ts';
import type { RunRow } from '../store/rows.ts';
import type { StreamChunk } from '../stream/chunks.ts';
import type { StreamManager } from '../stream/stream-manager.ts';
import type { UsageStore } from '../usage/usage.ts';
import { checkBag } from './option-bags.ts';
import { readRunChunks } from './run-chunks.ts';
import { awaitResult, resultOf } from './run-result.ts';
import { resumeSession } from './resume.ts';
import type { ClientParts, StartedRun } from './run-starter.ts';
import type { AgentExecutionHandle, AgentExecutor, ResumeOptions, StreamOptions } from './types.ts';

export interface HandleParts {
  readonly ctx: EngineContext;
  readonly parts: ClientParts;
  /** As the executor stops runs: one that this process drives hears of it at once. */
  readonly stops: Pick<AgentExecutor, 'interrupt' | 'abort'>;
  readonly streams: StreamManager;
  readonly usage: UsageStore | undefined;
  /** Resolves when this process no longer drives the run, to how it ended here; null when it never did. */
  readonly local: (run: LoopRun) => Promise<EndedRun | null> | null;
  /** Waits for the end where the host can do that better than by looking at the store again and again. */
  readonly untilEnd: (run: LoopRun) => Promise<void>;
}

/** A handle of a run that was claimed or found. It goes on with the agent that it was made with. */
export function createHandle(
  parts: HandleParts,
  { run, record }: StartedRun,
  agent?: AgentConfig,
): AgentExecutionHandle {
  const { ctx, stops, streams, usage } = parts;
  const { sessionId, runId, rootId } = run;
  // Nothing is added to this promise before somebody asks: it would be kept until the run ends.
  const local = parts.local(run);
  const stream = async (options: StreamOptions = {}): Promise<AsyncIterable<StreamChunk>> => {
    checkBag('stream', options);
    const own = record ?? (await recordOf(ctx, run));
    return (await readRunChunks(streams, rootId, own, options.afterSequence)) ?? noChunks();
  };
  return {
    sessionId,
    runId,
    streamId: rootId,
    ...(record && { startSequence: record.startSequence }),
    stream,
    async *[Symbol.asyncIterator]() {
      yield* await stream();
    },
    async result() {
      const ended = await local;
      const known = ended && resultOf(ended);
      if (known) return known;
      await parts.untilEnd(run);
      return awaitResult(ctx, run, runId);
    },
    async resume(options: ResumeOptions = {}) {
      return createHandle(
        parts,
        await resumeSession(parts.parts, sessionId, options, agent),
        agent,
      );
    },
    interrupt: (reason) => stops.interrupt(sessionId, reason),
    abort: (reason) => stops.abort(sessionId, reason),
    getUsageRollup: async () => usage?.getRollup(sessionId),
  };
}

async function* noChunks(): AsyncGenerator<StreamChunk> {}

async function recordOf(ctx: EngineContext, run: LoopRun): Promise<RunRow | undefined> {
  const runs = await ctx.databases.of(run).readRuns(run);
  return runs.find(({ runId }) => runId === run.runId);
}
