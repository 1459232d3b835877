import { isRoot } from '@helix-agents/core/store';
import { commits, sessions, type Breaks, type Commit, type Draft } from './schedule-breaks.ts';

/** Rules about what was done: executions, runs, streams, commits, children. */
export const LOG_BREAKS: Breaks = {
  A1: [
    [
      'a gated tool without its approval',
      (history) => {
        const approved = history.writes.find(
          (one) => one.kind === 'answer' && one.taken && one.input.outcome === 'approved',
        );
        const ran = history.executions.some(
          ({ callId }) => approved?.kind === 'answer' && approved.input.key.toolCallId === callId,
        );
        history.writes = history.writes.filter((one) => one !== approved);
        return ran;
      },
    ],
    [
      'another input than the approved one',
      (history) => {
        const gated = history.executions.find(({ toolName }) => toolName === 'send');
        if (gated) gated.input = { text: 'smuggled', amount: 1 };
        return gated !== undefined;
      },
    ],
    [
      'another parse of the input than the one that was shown',
      (history) => {
        const noted = history.executions.filter(({ toolName }) => toolName === 'note');
        for (const start of noted) start.input = { ...(start.input as object), parses: 99 };
        return noted.length > 0;
      },
    ],
  ],
  A2: [
    [
      'a once tool that started twice',
      (history) => {
        const start = history.executions.find(({ toolName }) => toolName === 'charge');
        if (start) history.executions.push(structuredClone(start));
        return start !== undefined;
      },
    ],
    [
      'a result of a tool that never ran',
      (history) => {
        const before = history.executions.length;
        history.executions = [];
        return before > 0;
      },
    ],
  ],
  A3: [
    [
      'a tool started by its owner after its result',
      (history) => {
        const found = resultRecord(history);
        const start = history.executions.find(({ callId }) => callId === found?.callId);
        if (!found || !start) return false;
        history.executions.push({ ...structuredClone(start), at: found.commit.at + 0.5 });
        return true;
      },
    ],
  ],
  R1: [
    [
      'a run out of order',
      (history) => {
        const run = sessions(history).flatMap(({ runs }) => runs)[0];
        if (run) run.turn += 1;
        return run !== undefined;
      },
    ],
    [
      'a run without an end',
      (history) => {
        const run = sessions(history).flatMap(({ runs }) => runs)[0];
        if (run) run.completedAt = null;
        return run !== undefined;
      },
    ],
  ],
  R2: [
    [
      'a record without a fence',
      (history) => {
        const commit = commits(history).find(({ plan }) =>
          plan.sessions?.some(({ raise }) => raise?.records),
        );
        if (commit) commit.plan.guard = {};
        return commit !== undefined;
      },
    ],
    [
      'a record by a process that owns nothing',
      (history) => {
        const commit = commits(history).find(({ plan }) => plan.insert?.journal?.length);
        if (commit) commit.process = 'somebody';
        return commit !== undefined;
      },
    ],
  ],
  R3: [
    [
      'too many steps',
      (history) => {
        const update = commits(history)
          .flatMap(({ plan }) => plan.sessions ?? [])
          .find(({ set }) => set?.stepCount !== undefined);
        if (update?.set) update.set.stepCount = 99;
        return update !== undefined;
      },
    ],
  ],
  S1: [
    [
      'a gap in the numbers',
      (history) => {
        const chunks = history.streams[0]?.chunks ?? [];
        chunks.splice(1, 1);
        return chunks.length > 2;
      },
    ],
  ],
  S2: [
    [
      'a reader that missed a chunk',
      (history) => (history.readers.find((seen) => seen.length > 2)?.splice(1, 1).length ?? 0) > 0,
    ],
  ],
  S3: [
    [
      'a call that never ended',
      (history) => {
        const stream = history.streams.find(({ chunks }) =>
          chunks.some(({ chunk }) => chunk.type === 'tool_end'),
        );
        if (stream) stream.chunks = stream.chunks.filter(({ chunk }) => chunk.type !== 'tool_end');
        return stream !== undefined;
      },
    ],
    [
      'text that nobody said',
      (history) => {
        const stored = history.streams
          .flatMap(({ chunks }) => chunks)
          .find(({ chunk }) => chunk.type === 'text_delta');
        if (stored?.chunk.type === 'text_delta') stored.chunk.delta += ' and more';
        return stored !== undefined;
      },
    ],
    [
      'an open call nobody heard of',
      (history) => {
        const open = history.rest.trees
          .flatMap(({ calls }) => calls)
          .some(({ state }) => state === 'open');
        for (const stream of history.streams) {
          stream.chunks = stream.chunks.filter(
            ({ chunk }) => chunk.type !== 'tool_approval_request' && chunk.type !== 'tool_start',
          );
        }
        return open;
      },
    ],
  ],
  S4: [
    [
      'a run that ended silently',
      (history) => {
        const stream = history.streams.find(({ chunks }) =>
          chunks.some(({ chunk }) => chunk.type === 'run_completed'),
        );
        if (stream)
          stream.chunks = stream.chunks.filter(({ chunk }) => chunk.type !== 'run_completed');
        return stream !== undefined;
      },
    ],
  ],
  C1: [
    [
      'a commit refused for no reason',
      (history) => {
        const commit = commits(history).at(-1);
        if (commit) commit.applied = false;
        return commit !== undefined;
      },
    ],
    [
      'a commit applied against its guard',
      (history) => {
        const guard = commits(history)
          .flatMap(({ plan }) => plan.guard.sessions ?? [])
          .find(({ version }) => version);
        if (guard) guard.version = 99;
        return guard !== undefined;
      },
    ],
  ],
  C2: [
    [
      'a session created twice',
      (history) => {
        const commit = commits(history).find(({ plan }) => plan.insert?.sessions?.length);
        if (commit) history.writes.push(structuredClone(commit));
        return commit !== undefined;
      },
    ],
  ],
  T1: [
    [
      'a child that runs on below a closed reference',
      (history) => {
        const child = sessions(history).find(({ session }) => !isRoot(session));
        if (child) child.session.status = 'running';
        return child !== undefined;
      },
    ],
    [
      'two children of one call',
      (history) => {
        const dump = sessions(history).find(({ references }) => references.length > 0);
        const row = dump?.references[0];
        if (dump && row) dump.references.push({ ...row, subSessionId: 'another' });
        return dump !== undefined;
      },
    ],
  ],
  I1: [
    [
      'a run interrupted for nothing',
      (history) => {
        const hit = sessions(history)
          .flatMap(({ runs }) => runs)
          .some((run) => run.status === 'interrupted');
        history.writes = history.writes.filter((write) => write.kind !== 'interrupt');
        return hit;
      },
    ],
    [
      'an interrupted run that goes on',
      (history) => {
        const entry = history.client.find(
          ({ request, outcome }) =>
            request.kind === 'interrupt' && outcome.kind === 'ok' && outcome.runId !== undefined,
        );
        const runId = entry?.outcome.kind === 'ok' ? entry.outcome.runId : undefined;
        const run = sessions(history)
          .flatMap(({ runs }) => runs)
          .find((one) => one.runId === runId);
        if (run) run.status = 'running';
        return run !== undefined;
      },
    ],
  ],
  L1: [
    [
      'a session that never ends',
      (history) => sessions(history).some(({ session }) => (session.status = 'interrupted')),
    ],
    ['something that never rests', (history) => history.stuck.push('still busy') > 0],
  ],
  X3: [
    [
      'text of another tree',
      (history) => {
        const [own, other] = Object.values(history.facts.canaries);
        const row = sessions(history)[0]?.messages[0];
        if (!own || !other || row?.message.role !== 'user') return false;
        row.message.content += sessions(history)[0]?.session.rootId === 'rootA' ? other : own;
        return true;
      },
    ],
  ],
};

/** A commit that made the result of a call durable: its close, in which it may ride. */
const resultRecord = (history: Draft): { commit: Commit; callId: string } | undefined => {
  for (const start of history.executions) {
    if (start.toolName !== 'note') continue;
    for (const commit of commits(history)) {
      if (commit.at < start.at || commit.process !== start.process) continue;
      const isResult = commit.plan.insert?.messages?.some(
        ({ sessionId, message }) =>
          sessionId === start.sessionId &&
          message.role === 'tool' &&
          message.toolCallId === start.callId,
      );
      if (isResult) return { commit, callId: start.callId };
    }
  }
  return undefined;
};
