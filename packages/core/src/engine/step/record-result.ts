import type { Done } from '../../loop/host.ts';
import type { CallResult, JournalRow, PlannedCall, UsageRow } from '../../store/rows.ts';
import { resultEntries } from '../announce/result-entries.ts';
import { hasSettleHooks } from '../hooks/settle-hooks.ts';
import { toolUsage, waitUsage } from '../rows/call-usage.ts';
import { owns } from '../rows/session-status.ts';
import {
  cachedStepView,
  isInMemory,
  ownCall,
  readStepView,
  type StepScope,
} from '../rows/step-view.ts';
import { record } from '../rows/write.ts';

type ResultRow = Extract<JournalRow, { kind: 'result' }>;

const OK: Done = { ok: true };
const STALE: Done = { ok: false, code: 'stale' };

/** A call that has come to its result. */
export interface FinishedCall {
  readonly call: PlannedCall;
  readonly result: CallResult;
  /** When its execution began. */
  readonly began: number;
  /** What the tool itself has recorded. */
  readonly usage: readonly UsageRow[];
}

/** Writes the result with its usage. It is kept in memory where the next commit will write it. */
export async function recordResult(step: StepScope, finished: FinishedCall): Promise<Done> {
  const { ctx, run, view } = step;
  const { call, result } = finished;
  const row: ResultRow = {
    sessionId: run.sessionId,
    stepId: view.session.stepId,
    index: call.index,
    kind: 'result',
    data: { ...result, run: view.session.turn },
    createdAt: ctx.clock.now(),
  };
  const usage = usageOf(step, finished);
  if (isInMemory(view) || deferToClose(step, call)) {
    // Not durable yet: its end is announced with the commit of the step.
    ctx.memory?.add(run, row, usage);
    return OK;
  }
  return writeResult(step, call, row, usage);
}

function usageOf({ ctx, view }: StepScope, finished: FinishedCall): readonly UsageRow[] {
  const { call, began } = finished;
  const { session } = view;
  const now = ctx.clock.now();
  const row = ownCall(view, call);
  return [
    toolUsage(ctx, session, finished, { durationMs: now - began, now }),
    ...(row ? [waitUsage(ctx, session, row, began)] : []),
    ...finished.usage,
  ];
}

/** The last outstanding result is written by the commit of the step, which follows at once. */
function deferToClose({ ctx, run }: StepScope, call: PlannedCall): boolean {
  const view = cachedStepView(ctx, run);
  if (!view?.plan) return false;
  if (call.execution === 'once' && hasSettleHooks(ctx, view.session)) return false;
  return view.plan.calls.every(({ index }) => view.results.has(index) !== (index === call.index));
}

async function writeResult(
  step: StepScope,
  call: PlannedCall,
  row: ResultRow,
  usage: readonly UsageRow[],
): Promise<Done> {
  const { ctx, run, view } = step;
  const { session } = view;
  const isRecorded = async (): Promise<boolean> => {
    const after = await readStepView(ctx, run);
    return after?.session.stepId === session.stepId && after.results.has(call.index);
  };
  const insert = { journal: [row], usage };
  if (!(await record(ctx, run, session.stepId, { insert }, isRecorded)))
    return refusedResult(step, call);
  ctx.memory?.recorded(run, row);
  const ends = resultEntries(view, ctx.clock.now(), call, row.data.outcome);
  ctx.announcer.later(session.streamId, ends, 'fact');
  return OK;
}

/** The record missed: the result of another attempt stands, or the run is no longer ours. */
async function refusedResult({ ctx, run, view }: StepScope, call: PlannedCall): Promise<Done> {
  const after = await readStepView(ctx, run);
  if (!after || !owns(after.session, run)) return STALE;
  const { stepId } = view.session;
  const standing = after.session.stepId !== stepId || after.results.has(call.index);
  if (!standing)
    throw new Error(`The result of ${call.callId} was refused although its step is open.`);
  return OK;
}
