import { rootRef } from '@helix-agents/core/store';
import type {
  AgentResult,
  Message,
  OpenCallRow,
  RunRow,
  SessionRow,
  StreamChunk,
  StoredChunk,
  SubmitOutcome,
  SubmitToolResult,
  UsageStore,
} from '@helix-agents/core';
import type {
  FullStreamManager,
  SessionIndex,
  SessionRef,
  SessionStore,
  StepRows,
} from '@helix-agents/core/store';
import { startProcess, type Process, type ProcessOptions } from './process.ts';
import { until } from './waiting.ts';
import { skipClock, type SkipClock } from '../world/skip-clock.ts';
import { storeOf, type TestWorld } from '../world/test-world.ts';

/** What one scenario works in: stores, a clock, and as many processes as it likes. */
export interface World {
  readonly clock: SkipClock;
  readonly streams: FullStreamManager;
  readonly usage: UsageStore;
  process(options: ProcessOptions): Process;
  /** Every session of the world, children included. */
  sessions(): Promise<readonly SessionRow[]>;
  session(sessionId: string): Promise<SessionRow>;
  step(sessionId: string): Promise<StepRows>;
  messages(sessionId: string): Promise<readonly Message[]>;
  /** Contents of the tool messages, in order. */
  results(sessionId: string): Promise<readonly string[]>;
  runs(sessionId: string): Promise<readonly RunRow[]>;
  /** All calls of the root, at the root. */
  calls(rootId: string): Promise<readonly OpenCallRow[]>;
  chunks(rootId: string): Promise<readonly StoredChunk[]>;
  /** Chunks of one type, in order. */
  chunksOf<T extends StreamChunk['type']>(
    rootId: string,
    type: T,
  ): Promise<readonly Extract<StreamChunk, { type: T }>[]>;
  /** Where a session lives. */
  readonly storeOf: (ref: SessionRef) => SessionStore;
  readonly index: SessionIndex;
  close(): Promise<void>;
}

/** One scenario in a world of its own, followed by the checks that hold for every world. */
export interface Scenario {
  (title: string, body: (world: World) => Promise<void>): void;
  /** A race: several outcomes are right, so the histories of two runtimes are not compared. */
  race(title: string, body: (world: World) => Promise<void>): void;
  /** About leases: for hosts whose processes take over from each other. */
  leased(title: string, body: (world: World) => Promise<void>): void;
  /** About a child whose own database fails: for hosts where sessions of a tree have databases of their own. */
  apart(title: string, body: (world: World) => Promise<void>): void;
  /** For hosts whose engine goes on with a run by itself when a process dies. */
  engine(title: string, body: (world: World) => Promise<void>): void;
}

export function openWorld(runtime: TestWorld): World {
  const clock = skipClock();
  const processes: Process[] = [];
  const { streamManager: streams, usageStore: usage } = runtime;
  const { index } = runtime.stateStore;
  const refOf = async (sessionId: string): Promise<SessionRef> => ({
    rootId: (await index.findRoot(sessionId)) ?? sessionId,
    sessionId,
  });
  const at = (ref: SessionRef): SessionStore => storeOf(runtime, ref);

  const messages = async (sessionId: string): Promise<readonly Message[]> => {
    const ref = await refOf(sessionId);
    return (await at(ref).readMessages(ref)).map((row) => row.message);
  };
  return {
    storeOf: at,
    index,
    clock,
    streams,
    usage,
    process(options) {
      const started = startProcess(runtime, clock, options);
      processes.push(started);
      return started;
    },
    sessions: async () => (await index.listSessions({ rootsOnly: false, limit: 100 })).items,
    async session(sessionId) {
      const ref = await refOf(sessionId);
      return present(await at(ref).readSession(ref), sessionId);
    },
    async step(sessionId) {
      const ref = await refOf(sessionId);
      return present(await at(ref).readStep(ref), sessionId);
    },
    messages,
    results: async (sessionId) =>
      (await messages(sessionId)).flatMap((one) => (one.role === 'tool' ? [one.content] : [])),
    async runs(sessionId) {
      const ref = await refOf(sessionId);
      return at(ref).readRuns(ref);
    },
    calls: (rootId) => at(rootRef(rootId)).readCalls(rootId),
    chunks: (rootId) => streams.readChunks(rootId),
    async chunksOf(rootId, type) {
      const chunks = (await streams.readChunks(rootId)).map((stored) => stored.chunk);
      return chunks.filter((chunk) => chunk.type === type) as never;
    },
    async close() {
      for (const one of processes) one.kill();
      clock.stop();
      await runtime.close();
    },
  };
}

function present<T>(row: T | null, sessionId: string): T {
  if (row === null) throw new Error(`There is no session ${sessionId}`);
  return row;
}

/** The result of a run that is expected to wait; with the ids of the calls it waits for. */
export function waiting(result: AgentResult): readonly string[] {
  if (!('suspended' in result)) throw new Error(`Expected to wait, but ${JSON.stringify(result)}`);
  return result.suspended.toolCallIds;
}

export function answer(
  process: Process,
  sessionId: string,
  toolCallId: string,
  result: Extract<SubmitToolResult, { result: unknown }>['result'],
): Promise<SubmitOutcome> {
  return process.executor.submitToolResult({
    kind: 'client-tool-result',
    sessionId,
    toolCallId,
    result,
  });
}

export function decide(
  process: Process,
  sessionId: string,
  toolCallId: string,
  approved: boolean,
): Promise<SubmitOutcome> {
  return process.executor.submitToolResult({
    kind: 'approval-response',
    sessionId,
    toolCallId,
    approved,
  });
}

/** Starts a session and waits for its first end. */
export async function runOnce(
  process: Process,
  agent: Parameters<Process['executor']['execute']>[0],
  sessionId: string,
  message: string = 'go',
): Promise<AgentResult> {
  return (await process.executor.execute(agent, message, { sessionId })).result();
}

/** Resumes the session, also after its process died. Where an engine resumes it by itself, attaches to that run. */
export async function resumeOnce(process: Process, sessionId: string): Promise<AgentResult> {
  return (await process.restarted().resume(sessionId, { ifRunning: 'attach' })).result();
}

/** Time goes by until it has ended: operations that fail are tried again after a while. */
export async function patiently(
  world: World,
  ended: Promise<AgentResult>,
  stepMs: number = 200,
): Promise<AgentResult> {
  let isOver = false;
  const over = ended.finally(() => {
    isOver = true;
  });
  over.catch(() => undefined);
  await until('it has ended', async () => {
    await world.clock.skip(stepMs);
    return isOver;
  });
  return over;
}
