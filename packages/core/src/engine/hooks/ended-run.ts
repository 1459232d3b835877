import type { HookPayloads } from '../../define/hooks.ts';
import type { Message } from '../../messages/message.ts';
import type { RunRow, SessionRow } from '../../store/rows.ts';
import { frozenCopy } from '../../util/frozen-copy.ts';
import type { EngineContext } from '../context.ts';

type EndedRun = HookPayloads['onRunEnded'];

const FEW_RUNS = 8;

/** What `onRunEnded` is told, from the records of the runs. Null when they are gone. */
export async function endedRun(
  ctx: EngineContext,
  session: SessionRow,
  status: EndedRun['status'],
): Promise<EndedRun | null> {
  const runs = await runsOfTurn(ctx, session);
  const run = runs.at(-1);
  const first = runs[0];
  if (!run || !first || run.runId !== session.runId) return null;
  const { stepCount, failureReason, error } = session;
  const isFailed = status === 'failed';
  return {
    status,
    trigger: run.trigger,
    startedAt: run.startedAt,
    endedAt: run.completedAt ?? ctx.clock.now(),
    stepCount,
    firstRun: first.turn,
    previousRunId: run.previousRunId,
    ...(run === first && { input: await inputOf(ctx, session, run) }),
    ...(status === 'completed' && { output: frozenCopy(session.output) }),
    ...(isFailed && error && { error }),
    ...((isFailed || status === 'interrupted') && failureReason && { reason: failureReason }),
  };
}

/** From the run that began the turn to the newest. */
async function runsOfTurn(ctx: EngineContext, session: SessionRow): Promise<readonly RunRow[]> {
  const store = ctx.databases.of(session);
  for (let last = FEW_RUNS; ; last *= 4) {
    const runs = await store.readRuns(session, { last });
    const first = runs.findLastIndex(({ trigger }) => trigger !== 'resume');
    if (first !== -1) return runs.slice(first);
    if (runs.length < last) return runs;
  }
}

/** The messages that were stored with the claim of the run. */
async function inputOf(
  ctx: EngineContext,
  session: SessionRow,
  { startedAt }: RunRow,
): Promise<readonly Message[]> {
  const rows = await ctx.databases.of(session).readMessages(session);
  return rows.flatMap(({ message, createdAt }) =>
    message.role === 'user' && createdAt === startedAt ? [frozenCopy(message)] : [],
  );
}
