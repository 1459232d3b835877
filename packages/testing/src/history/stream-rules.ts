import type { ChunkType, StreamChunk } from '@helix-agents/core';
import {
  appliedCommits,
  callName,
  groupBy,
  sameJson,
  sessionsOf,
  standingChunks,
  type AppliedCommit,
  type Rule,
} from './support.ts';
import type { History, StreamDump } from './types.ts';

type ChunkOfType<T extends ChunkType> = Extract<StreamChunk, { type: T }>;

function chunksOf<T extends ChunkType>(
  stream: StreamDump,
  ...types: readonly T[]
): ChunkOfType<T>[] {
  const wanted: ReadonlySet<string> = new Set(types);
  return stream.chunks.flatMap(({ chunk }) =>
    wanted.has(chunk.type) ? [chunk as ChunkOfType<T>] : [],
  );
}

/** Numbers go up by one; a run begins after the head it names. */
export const numbersHaveNoGap: Rule = {
  id: 'S1',
  check: (history) => [
    ...history.streams.flatMap(({ streamId, chunks }) => {
      const gap = chunks.findIndex((stored, position) => stored.sequence !== position + 1);
      return gap === -1 ? [] : [`${streamId}: number ${gap + 1} is ${chunks[gap]?.sequence}`];
    }),
    ...startsInTheFuture(history),
    ...chunksBeforeTheirRun(history),
  ],
};

function startsInTheFuture(history: History): string[] {
  return appliedCommits(history).flatMap(({ at, plan }) =>
    (plan.insert?.runs ?? []).flatMap((run) => {
      const heads = history.appends
        .filter((append) => append.streamId === plan.rootId && append.at < at)
        .map((append) => append.head);
      const head = Math.max(0, ...heads);
      return run.startSequence <= head
        ? []
        : [`run ${run.runId} starts after ${run.startSequence}, the head was ${head}`];
    }),
  );
}

function chunksBeforeTheirRun(history: History): string[] {
  const runs = new Map(
    sessionsOf(history.end).flatMap(({ runs: all }) => all.map((run) => [run.runId, run])),
  );
  return history.streams.flatMap(({ chunks }) =>
    chunks.flatMap(({ sequence, chunk }) => {
      const run = 'runId' in chunk ? runs.get(chunk.runId) : undefined;
      return run && sequence <= run.startSequence
        ? [
            `${chunk.type} of run ${run.runId} has number ${sequence}, the run starts after ${run.startSequence}`,
          ]
        : [];
    }),
  );
}

/** What a reader saw over all its visits is the log. */
export const readersSeeTheLog: Rule = {
  id: 'S2',
  check: (history) =>
    history.readers.flatMap((seen) => {
      const stream = history.streams.find((candidate) => sameJson(candidate.chunks, seen));
      return stream ? [] : [`a reader saw ${seen.length} chunks that are no whole log`];
    }),
};

/** The stream tells what the transcript tells: each call asked for once and ended once, each text once. */
export const streamTellsTheTranscript: Rule = {
  id: 'S3',
  check: (history) => [
    ...history.streams.flatMap(repeatedAnnouncements),
    ...unannouncedCalls(history),
    ...history.streams.flatMap((stream) => missingEnds(history, stream)),
    ...history.streams.flatMap((stream) => otherText(history, stream)),
    ...announcedTooEarly(history),
  ],
};

function repeatedAnnouncements(stream: StreamDump): string[] {
  const asked = [
    ...chunksOf(stream, 'tool_approval_request'),
    ...chunksOf(stream, 'tool_start').filter((chunk) => chunk.execute === 'client'),
  ];
  const ended = endsOf(stream);
  const repeats = (what: string, chunks: readonly { toolCallId: string }[]): string[] =>
    [...groupBy(chunks, (chunk) => chunk.toolCallId)].flatMap(([id, all]) =>
      all.length > 1 ? [`${stream.streamId}: ${id} was ${what} ${all.length} times`] : [],
    );
  return [...repeats('asked for', asked), ...repeats('ended', ended)];
}

/** Ends that stand: a step that was repeated ends its calls again. */
function endsOf(stream: StreamDump): ChunkOfType<'tool_end'>[] {
  return chunksOf({ ...stream, chunks: standingChunks(stream) }, 'tool_end');
}

/**
 * A root that was stopped while a process with one of its children was frozen is the exception: that child may ask once more before
 * it hears of the stop. Its call stands in the inbox; the stream, which is closed, shows it when the root is resumed.
 */
function unannouncedCalls(history: History): string[] {
  return history.rest.trees.flatMap(({ rootId, calls, sessions }) => {
    const root = sessions.find(({ session }) => session.sessionId === rootId);
    const isStopped = root?.session.status === 'interrupted';
    const stream = history.streams.find(({ streamId }) => streamId === rootId);
    const asked = new Set(
      stream
        ? chunksOf(stream, 'tool_approval_request', 'tool_start').map((chunk) => chunk.toolCallId)
        : [],
    );
    return calls
      .filter((row) => row.state === 'open' && !asked.has(row.toolCallId))
      .filter((row) => !isStopped || row.ownerSessionId === rootId)
      .map((row) => `${rootId}: ${row.toolCallId} is open and was never announced`);
  });
}

function missingEnds(history: History, stream: StreamDump): string[] {
  const ended = new Set(endsOf(stream).map((chunk) => chunk.toolCallId));
  return heardCommits(history, stream.streamId).flatMap(({ commit, isHeard }) =>
    (commit.plan.insert?.messages ?? []).flatMap(({ sessionId, message }) =>
      message.role === 'tool' && !ended.has(message.toolCallId) && isHeard(sessionId)
        ? [`${stream.streamId}: ${message.toolCallId} has a result and was never ended`]
        : [],
    ),
  );
}

interface HeardCommit {
  readonly commit: AppliedCommit;
  /** False for a child that outlived the run of its root: what it commits then may stay unannounced. */
  readonly isHeard: (sessionId: string) => boolean;
}

function heardCommits(history: History, rootId: string): HeardCommit[] {
  let status = 'running';
  return appliedCommits(history)
    .filter(({ plan }) => plan.rootId === rootId)
    .map((commit) => {
      const root = commit.plan.sessions?.find((update) => update.sessionId === rootId);
      const isOpen = status === 'running' || root !== undefined;
      status = root?.set?.status ?? status;
      return { commit, isHeard: (sessionId) => isOpen || sessionId === rootId };
    });
}

/** Text that was not withdrawn, by session and step, is the text of the step's message. */
function otherText(history: History, stream: StreamDump): string[] {
  const shown = new Map<string, string>();
  for (const { chunk } of stream.chunks) {
    const key = callName(chunk.agentId, String(chunk.step));
    if (chunk.type === 'step_discarded') shown.delete(key);
    if (chunk.type === 'text_delta') shown.set(key, (shown.get(key) ?? '') + chunk.delta);
  }
  const committed = committedTexts(history, stream.streamId);
  for (const key of [
    ...contestedSteps(history, stream),
    ...unheardSteps(history, stream.streamId),
  ]) {
    committed.delete(key);
    shown.delete(key);
  }
  return [
    ...[...committed].flatMap(([key, text]) =>
      text === (shown.get(key) ?? '')
        ? []
        : [
            `${key}: said ${JSON.stringify(text)}, the stream ${JSON.stringify(shown.get(key) ?? '')}`,
          ],
    ),
    ...[...shown.keys()]
      .filter((key) => !committed.has(key))
      .map((key) => `${key}: the stream has text of a step that was never committed`),
  ];
}

/**
 * Steps into which an owner streamed that had lost its session and did not know yet, or a second attempt whose answer
 * was refused. Whether those chunks stand beside the valid ones cannot be said.
 */
function contestedSteps(history: History, stream: StreamDump): Set<string> {
  return new Set([...refusedPlans(history), ...streamedWithoutOwning(history, stream)]);
}

function refusedPlans(history: History): string[] {
  return history.writes.flatMap((write) =>
    write.kind !== 'commit' || write.applied
      ? []
      : (write.plan.insert?.journal ?? [])
          .filter(({ kind }) => kind === 'plan')
          .map(({ sessionId, stepId }) => callName(sessionId, String(stepId))),
  );
}

function streamedWithoutOwning(history: History, stream: StreamDump): Set<string> {
  const steps = new Set<string>();
  const ownerAt = owners(history);
  const firstSteps = new Map<Ownership | undefined, string>();
  for (const { sequence, chunk } of stream.chunks) {
    if (chunk.type !== 'text_delta') continue;
    const append = history.appends.find(
      ({ streamId, head }) => streamId === stream.streamId && head >= sequence,
    );
    if (!append) continue;
    const step = callName(chunk.agentId, String(chunk.step));
    const landed = ownerAt(chunk.agentId, append.at);
    const isLate = landed !== ownerAt(chunk.agentId, append.askedAt);
    // The run that was taken over streams into the step that was open then, and into no later one.
    if (!firstSteps.has(landed)) firstSteps.set(landed, step);
    const isShared = landed?.tookFromItself && firstSteps.get(landed) === step;
    // A process that was frozen writes what its earlier run said, also when it owns the session again by then.
    const isOfEarlierRun = landed?.process === append.process && chunk.step < landed.firstStep;
    if (isLate || landed?.process !== append.process || isShared || isOfEarlierRun) steps.add(step);
  }
  return steps;
}

interface Ownership {
  readonly at: number;
  /** Null: it belongs to no run. */
  readonly process: string | null;
  /** A process took over its own run, whose lease had run out: both runs stream from there. */
  readonly tookFromItself: boolean;
  /** The step the session was at. */
  readonly firstStep: number;
}

/** Whose a session was at a moment, and since when. */
function owners(history: History): (sessionId: string, at: number) => Ownership | undefined {
  const changes = new Map<string, Ownership[]>();
  const stepIds = new Map<string, number>();
  for (const { at, process, plan } of appliedCommits(history)) {
    const claimed = [
      ...(plan.insert?.sessions ?? []),
      ...(plan.sessions ?? []).map(({ sessionId, set }) => ({ sessionId, ...set })),
    ];
    for (const { sessionId, status, stepId } of claimed) {
      if (stepId !== undefined) stepIds.set(sessionId, stepId);
      if (status === undefined) continue;
      const owner = status === 'running' ? process : null;
      const earlier = changes.get(sessionId) ?? [];
      const tookFromItself = owner !== null && earlier.at(-1)?.process === owner;
      const firstStep = stepIds.get(sessionId) ?? 1;
      changes.set(sessionId, [...earlier, { at, process: owner, tookFromItself, firstStep }]);
    }
  }
  return (sessionId, at) => changes.get(sessionId)?.findLast((change) => change.at < at);
}

/** Steps that children decided while their root had no run. */
function unheardSteps(history: History, rootId: string): string[] {
  return heardCommits(history, rootId).flatMap(({ commit: { plan }, isHeard }) =>
    (plan.insert?.journal ?? []).flatMap((row) =>
      row.kind === 'plan' && !isHeard(row.sessionId)
        ? [callName(row.sessionId, String(row.stepId))]
        : [],
    ),
  );
}

/** Steps in which stopped models spoke, by the id of the message to be. */
function stoppedSteps(history: History): Map<string | undefined, number> {
  const rows = appliedCommits(history).flatMap(({ plan }) => plan.insert?.journal ?? []);
  return new Map(
    rows.flatMap((row) =>
      row.kind === 'stopped' ? [[row.data.message.id, row.data.step] as const] : [],
    ),
  );
}

function committedTexts(history: History, streamId: string): Map<string, string> {
  const texts = new Map<string, string>();
  const steps = new Map<string, number>();
  const spoken = stoppedSteps(history);
  for (const { plan } of appliedCommits(history)) {
    if (plan.rootId !== streamId) continue;
    for (const { sessionId, message } of plan.insert?.messages ?? []) {
      if (message.role !== 'assistant') continue;
      const step = spoken.get(message.id) ?? steps.get(sessionId) ?? 1;
      texts.set(callName(sessionId, String(step)), message.content);
    }
    for (const { sessionId, set } of plan.sessions ?? [])
      if (set?.stepId !== undefined) steps.set(sessionId, set.stepId);
  }
  return texts;
}

/** A call is announced only after its row is stored. */
function announcedTooEarly(history: History): string[] {
  const opened = new Map<string, number>();
  for (const { at, plan, database } of appliedCommits(history)) {
    for (const row of plan.insert?.calls ?? []) {
      const name = callName(row.rootId, row.toolCallId);
      const authority =
        history.facts.databases === 'one' || row.deadlineAt !== null || database !== '';
      if (authority && !opened.has(name)) opened.set(name, at);
    }
  }
  return history.streams.flatMap((stream) =>
    stream.chunks.flatMap(({ chunk, sequence }) => {
      const asks =
        chunk.type === 'tool_approval_request' ||
        (chunk.type === 'tool_start' && chunk.execute === 'client');
      if (!asks) return [];
      const written = history.appends.find(
        (append) => append.streamId === stream.streamId && append.head >= sequence,
      );
      const at = opened.get(callName(stream.streamId, chunk.toolCallId)) ?? Infinity;
      return written && written.at < at
        ? [`${chunk.toolCallId} was announced before its row was there`]
        : [];
    }),
  );
}

/** A run ends once in the stream, the way it ended. */
export const oneEndPerRun: Rule = {
  id: 'S4',
  check: (history) =>
    history.streams.flatMap((stream) => {
      const ends = chunksOf(stream, 'run_completed', 'run_failed');
      const twice = [...groupBy(ends, (chunk) => chunk.runId)].flatMap(([runId, all]) =>
        all.length > 1 ? [`run ${runId} ended ${all.length} times`] : [],
      );
      const root = sessionsOf(history.end).find(
        ({ session }) => session.sessionId === stream.streamId,
      )?.session;
      const wanted =
        root?.status === 'completed'
          ? 'run_completed'
          : root?.status === 'failed'
            ? 'run_failed'
            : null;
      const said = ends.filter((chunk) => chunk.runId === root?.runId).map((chunk) => chunk.type);
      return wanted && !sameJson(said, [wanted])
        ? [
            ...twice,
            `${stream.streamId} is ${root?.status}, the stream says ${said.join(', ') || 'nothing'}`,
          ]
        : twice;
    }),
};
