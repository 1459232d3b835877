// If this fails: a hook that reads the store, or tells another system that something is done, does so before it is.
import { HOOK_TABLE, type AgentHooks, type HookName, type SessionRow } from '@helix-agents/core';
import type { HookRow } from '@helix-agents/core/host';
import type { Operations } from '@helix-agents/core/host';
import type { StepRows } from '@helix-agents/core/store';
import { expect } from 'vitest';
import { agent, clientTool, helper, serverTool, state, subAgent } from '../definitions.ts';
import type { ProcessOptions } from '../process.ts';
import { call, finish, say, script } from '../script.ts';
import { answer, resumeOnce, runOnce, waiting, type Scenario, type World } from '../world.ts';
import { hookLog } from './hook-log.ts';

type Side = HookRow['when'];

export function hookTableHolds(it: Scenario): void {
  it('HOOK_TABLE says which operation fires a hook, and on which side of its commit', async (world) => {
    const observed = new Map<HookName, Side>();
    const operations = new Map<HookName, string>();
    const looks = new Map<HookName, Promise<void>>();
    let current = '';
    // Where an operation is done twice at once, neither goes on before the look is over.
    const log = hookLog((name, payload, context) => {
      const look = async (): Promise<void> => {
        operations.set(name, current);
        const done = await isCommitted(world, name, payload as never, context.sessionId);
        observed.set(name, done ? 'after' : 'before');
      };
      const first = looks.get(name) ?? look();
      looks.set(name, first);
      return first;
    });
    const now = <R>(operation: string, perform: () => Promise<R>): Promise<R> => {
      current = operation;
      return perform();
    };
    const wrapOperations = (inner: Operations): Operations => ({
      ...inner,
      begin: (run) => now('begin', () => inner.begin(run)),
      think: (run, scope) => now('think', () => inner.think(run, scope)),
      tool: (run, planned, scope) => now('tool', () => inner.tool(run, planned, scope)),
      startChild: (run, index) => now('start child', () => inner.startChild(run, index)),
      settle: (run) => now('settle', () => inner.settle(run)),
      end: (run) => now('end', () => inner.end(run)),
    });
    const child = helper('child');
    const work = serverTool('work', (_, context) =>
      context.updateState<{ n: number }>((draft) => {
        draft.n += 1;
      }),
    );
    const root = agent('root', [work, subAgent(child), clientTool('pick')], {
      stateSchema: state({ n: 0 }),
      hooks: log.hooks,
    });
    const failing = agent('failing', [], { hooks: onlyFail(log.hooks) });
    const model = script({
      root: [call('work'), call('subagent__child'), call('pick'), say('done')],
      child: [finish('here')],
      failing: [
        () => {
          throw new Error('no model');
        },
      ],
    });
    const running: ProcessOptions = { model, agents: [root, failing], wrapOperations };
    const [pick] = waiting(await runOnce(world.process(running), root, 's'));
    await world.clock.skip(250_000);
    current = 'sweep';
    await world.process(running).executor.sweep();
    await answer(world.process(running), 's', pick as string, 'red');
    expect(await resumeOnce(world.process(running), 's')).toMatchObject({ status: 'completed' });
    await runOnce(world.process(running), failing, 'f');
    const names = Object.keys(HOOK_TABLE) as HookName[];
    const seen = Object.fromEntries(
      names.map((name) => [name, { operation: operations.get(name), when: observed.get(name) }]),
    );
    expect(seen).toEqual(HOOK_TABLE);
  });
}

function onlyFail({ onAgentFail }: AgentHooks): AgentHooks {
  return onAgentFail ? { onAgentFail } : {};
}

interface Firing {
  readonly world: World;
  readonly session: SessionRow;
  readonly step: StepRows;
  readonly payload: {
    readonly toolCallId?: string;
    readonly subSessionId?: string;
    readonly message?: { readonly role: string };
  };
}

type Evidence = (firing: Firing) => boolean | Promise<boolean>;

const runIsThere: Evidence = async ({ world, session }) =>
  (await world.runs(session.sessionId)).at(-1)?.completedAt === null;
const planIsThere: Evidence = ({ step }) => step.journal.some((row) => row.kind === 'plan');
const resultIsThere: Evidence = ({ step }) => step.journal.some((row) => row.kind === 'result');
const messageIsThere: Evidence = async ({ world, session, payload }) =>
  (await world.messages(session.sessionId)).some((one) =>
    payload.message
      ? one.role === payload.message.role
      : one.role === 'tool' && one.toolCallId === payload.toolCallId,
  );

/** Whether what a hook is about can be seen in the store by now. */
const IN_THE_STORE: Readonly<Record<HookName, Evidence>> = {
  onAgentStart: runIsThere,
  onAgentResumed: runIsThere,
  beforeLLMCall: planIsThere,
  afterLLMCall: planIsThere,
  beforeTool: resultIsThere,
  onStateChange: resultIsThere,
  beforeSubAgent: async ({ world, payload }) =>
    (await world.sessions()).some((one) => one.sessionId === payload.subSessionId),
  onMessage: messageIsThere,
  afterTool: messageIsThere,
  afterSubAgent: messageIsThere,
  onCallSettled: messageIsThere,
  onRunEnded: ({ session }) => session.status !== 'running',
  onAgentSuspended: ({ session }) => session.status.startsWith('suspended_'),
  onAgentComplete: ({ session }) => session.status === 'completed',
  onAgentFail: ({ session }) => session.status === 'failed',
  onCallReminder: async ({ world, session }) =>
    (await world.calls(session.rootId)).every((row) => row.remindAt === null),
};

async function isCommitted(
  world: World,
  name: HookName,
  payload: Firing['payload'],
  sessionId: string,
): Promise<boolean> {
  const session = await world.session(sessionId);
  const step = await world.step(sessionId);
  return IN_THE_STORE[name]({ world, session, step, payload });
}
