import type { Parse } from '../../define/parse-with.ts';
import { isSubAgentTool, SUBAGENT_TOOL_PREFIX } from '../../define/sub-agent-tool.ts';
import type { Tool } from '../../define/types.ts';
import { HookScope } from '../hooks/fire-hooks.ts';
import type { JsonValue } from '../../json.ts';
import type { PlannedCall, SessionRow } from '../../store/rows.ts';
import type { LoopRun, StartedChild } from '../../loop/host.ts';
import { childStartEntry } from '../announce/child-end.ts';
import { entry, speakerOf } from '../announce/chunk-entries.ts';
import { answersFor } from './answers-down.ts';
import { claimChild, claimedRun, claimId, deliver, type ChildCall } from './claim-child.ts';
import { sleep } from '../clock.ts';
import type { EngineContext } from '../context.ts';
import { giveUpChild } from './give-up-child.ts';
import { passStopOn } from './pass-stop-on.ts';
import { parserFor } from '../race.ts';
import { requireAgent } from '../require-agent.ts';
import {
  isAskedHere,
  readChildOf,
  type ReachedChild,
  type UnreachableChild,
} from '../rows/child-view.ts';
import { parseInput, shownInput } from '../rows/parsed-input.ts';
import { isSuspended, isTerminal, ownerIsDead, owns } from '../rows/session-status.ts';
import { readStepView, type StepView } from '../rows/step-view.ts';

const STALE: StartedChild = { ok: false, code: 'stale' };
const COLLECT: StartedChild = { ok: true, kind: 'collect' };
const WAIT: StartedChild = { ok: true, kind: 'wait' };

/** Starts the child of a call, or continues it with the answers that are here. The child's own row decides. */
export async function startChild(
  ctx: EngineContext,
  run: LoopRun,
  index: number,
  signal?: AbortSignal,
): Promise<StartedChild> {
  const parse = parserFor(ctx, signal);
  for (;;) {
    const view = await readStepView(ctx, run);
    if (!view || !owns(view.session, run)) return STALE;
    const call = view.plan?.calls.find((candidate) => candidate.index === index);
    if (!call || view.results.has(index)) return COLLECT;
    const child = await readChildOf(ctx, view, index);
    if (child?.reference.state !== 'live') return COLLECT;
    if (child.place === 'unreachable') return withoutReach(ctx, child);

    const dispatch = await dispatchOf(ctx, view, child, call, parse);
    if (!dispatch.ok) {
      await giveUpChild(ctx, run, index, 'dispatch_failed', dispatch.reason);
      return COLLECT;
    }
    const move = decideStart(ctx, child, call);
    if (move !== 'claim') return withoutClaim(ctx, run, view.session, child, move);
    const claimed = await claimChild(ctx, run, view, child, { ...dispatch, parse });
    if (!claimed) continue;
    await announceStart(ctx, view.session, child);
    return driven(ctx, run, claimed);
  }
}

/**
 * For a child that cannot be reached. If a person is or was asked for it, the parent waits: it settles and starts the child
 * again after a poll, while siblings go on and a stop is obeyed. Otherwise the start fails, and the host retries it like
 * any operation.
 */
async function withoutReach(ctx: EngineContext, child: UnreachableChild): Promise<StartedChild> {
  if (!isAskedHere(child)) throw child.cause;
  await sleep(ctx.clock, ctx.limits.pollMs);
  return COLLECT;
}

/** The child is driven already, has ended, waits, or failed by itself and has to be ended by its parent. */
async function withoutClaim(
  ctx: EngineContext,
  run: LoopRun,
  parent: SessionRow,
  child: ReachedChild,
  move: Exclude<Move, 'claim'>,
): Promise<StartedChild> {
  if (move === 'collect') return COLLECT;
  if (move === 'mine' && child.session) {
    // The process that claimed it may have died before it announced the start.
    await announceStart(ctx, parent, child);
    await withdrawLostAnswer(ctx, child);
    return driven(ctx, run, claimedRun(child.session));
  }
  await deliver(ctx, child);
  if (move !== 'failed') return WAIT;
  const given = await giveUpChild(ctx, run, child.reference.index, 'error');
  return given.ok ? COLLECT : STALE;
}

async function driven(ctx: EngineContext, parent: LoopRun, run: LoopRun): Promise<StartedChild> {
  await passStopOn(ctx, parent);
  const runs = await ctx.databases.of(run).readRuns(run);
  const usedMs = runs.reduce(
    (sum, { startedAt, completedAt }) => sum + (completedAt ?? startedAt) - startedAt,
    0,
  );
  return { ok: true, kind: 'run', run, usedMs };
}

/** This process drove the child before, until the store failed: an answer that was not recorded may have been streamed. */
async function withdrawLostAnswer(ctx: EngineContext, { ref }: ReachedChild): Promise<void> {
  const view = await readStepView(ctx, ref);
  if (!view || view.plan) return;
  const now = ctx.clock.now();
  const discarded = entry(speakerOf(view.session), now, 'step_discarded', {
    reason: 'driven_again',
  });
  await ctx.announcer.announce(view.session.streamId, [discarded]);
}

/** What to do with a child. */
type Move = 'claim' | 'mine' | 'wait' | 'collect' | 'failed';

/** The process that starts the child. */
type Starter = Pick<EngineContext, 'clock' | 'identity' | 'isDriving'>;

/**
 * What the parent does with a child, by the child's own row. `claim` it when it does not exist, was interrupted, lost its owner or
 * has an answer to take in; drive the run that is `mine`; `wait` for another live owner; `collect` what has ended or waits; end
 * one that `failed` by itself. Pure but for the clock.
 */
export function decideStart(ctx: Starter, child: ReachedChild, call: PlannedCall): Move {
  const { session } = child;
  if (!session) return 'claim';
  if (isTerminal(session)) return 'collect';
  if (session.status === 'running') {
    if (claimIsMine(ctx, call, session)) return 'mine';
    return ownerIsDead(session, ctx.clock.now()) ? 'claim' : 'wait';
  }
  if (session.status === 'interrupted') return 'claim';
  if (isSuspended(session) && session.error) return 'failed';
  return answersFor(child).length > 0 || hasAnswer(child) ? 'claim' : 'collect';
}

/** In the same store an answered row of the subtree is enough; in a store of its own the call has to be open there. */
function hasAnswer(child: ReachedChild): boolean {
  return child.place === 'same-store' && child.callsHere.some((row) => row.state === 'answered');
}

/** This process has claimed the child for this call and does not drive it: the reply was lost, or the claim was made twice. */
function claimIsMine(ctx: Starter, call: PlannedCall, session: SessionRow): boolean {
  if (!session.lastCommit.startsWith(claimId(call, ''))) return false;
  if (ctx.isDriving(session.sessionId, session.epoch)) return false;
  return ctx.identity.leaseMs === null
    ? !session.started
    : session.leaseOwner === ctx.identity.owner;
}

type Dispatch =
  | (Omit<ChildCall, 'parse'> & { readonly ok: true })
  | { readonly ok: false; readonly reason: string };

/** The agent of the call and, for a child that does not exist yet, the call with its input as the schema parses it. */
async function dispatchOf(
  ctx: EngineContext,
  view: StepView,
  child: ReachedChild,
  call: PlannedCall,
  parse: Parse,
): Promise<Dispatch> {
  const tools = isSubAgentTool(call.toolName) ? requireAgent(ctx, view.session).tools : undefined;
  const tool = tools?.find(({ name }) => name === call.toolName);
  if (!tool?.subAgent) {
    return { ok: false, reason: 'it is no longer among the tools of its parent' };
  }
  const { agent } = tool.subAgent;
  if (child.session) return { ok: true, agent, call };
  const input = await inputOfChild(tool, call, parse);
  return input.ok ? { ok: true, agent, call: { ...call, input: input.value } } : input;
}

type ChildInput =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly reason: string };

/** Always its JSON form: it becomes the child's first message. */
async function inputOfChild(tool: Tool, call: PlannedCall, parse: Parse): Promise<ChildInput> {
  const raw = call.input;
  if (call.parsed) return { ok: true, value: shownInput({ raw, parsed: call.parsed }) };
  const again = await parseInput(tool, raw, parse);
  if (again.ok) return { ok: true, value: shownInput({ raw, parsed: again.parsed }) };
  const issues = again.issues.map(({ message }) => message).join('; ');
  return { ok: false, reason: `its input is invalid: ${issues}` };
}

async function announceStart(
  ctx: EngineContext,
  parent: SessionRow,
  child: ReachedChild,
): Promise<void> {
  const { reference } = child;
  const start = childStartEntry(parent, reference, ctx.clock.now());
  await ctx.announcer.announce(parent.streamId, [start]);
  if (child.session) return;
  const { agentType, subSessionId, parentToolCallId: toolCallId } = reference;
  const toolName = `${SUBAGENT_TOOL_PREFIX}${agentType}`;
  const payload = { toolCallId, toolName, subSessionId, subAgentType: agentType };
  await new HookScope(ctx, parent).fire('beforeSubAgent', payload);
}
