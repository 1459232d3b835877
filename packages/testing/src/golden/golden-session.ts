import type { AgentConfig, Clock, SubmitToolResult } from '@helix-agents/core';
import { systemClock } from '@helix-agents/core/host';
import {
  agent,
  clientTool,
  gatedTool,
  helper,
  serverTool,
  state,
  subAgent,
} from '../runtime/definitions.ts';
import { call, finish, say, script, use } from '../runtime/script.ts';
import type { ExecutorParts, ExecutorUnderTest, TestWorld } from '../world/test-world.ts';

/** A process with the agent of the golden session. */
export interface Golden {
  readonly clerk: AgentConfig;
  readonly executor: ExecutorUnderTest;
  /** Tools that this process really ran. */
  readonly ran: readonly string[];
}

export const SESSION = 'golden';

const CENTURY = 100 * 365 * 24 * 3_600_000;

/**
 * The golden session: each format of a store has a fixture of it. A client call of its first step was answered and is
 * settled. Its third step is half done: one tool has finished, a client call, an approval and a call of a sub-agent are
 * open, and the deadline of one more client call expires soon.
 */
export function openGolden(world: TestWorld, clock: Clock = systemClock): Golden {
  const ran: string[] = [];
  const note = serverTool('note', (input, context) => {
    const text = input['text'] as string;
    ran.push(`note ${text}`);
    context.updateState<{ notes: string[] }>((draft) => void draft.notes.push(text));
    return { noted: text };
  });
  const send = gatedTool('send', (input) => {
    const to = input['to'] as string;
    ran.push(`send ${to}`);
    return `sent to ${to}`;
  });
  const never = { clientToolTimeoutMs: 'never' } as const;
  const always = {
    ...never,
    approvalTimeoutMs: 'never',
    completedTombstoneRetentionMs: CENTURY,
  } as const;
  const scout = helper('scout', [clientTool('look', never)], always);
  const clerk = agent(
    'clerk',
    [
      note,
      send,
      clientTool('greet', never),
      clientTool('pick', never),
      clientTool('late', { clientToolTimeoutMs: 1 }),
      subAgent(scout),
    ],
    { ...always, stateSchema: state({ notes: [] as string[] }) },
  );
  const llmAdapter = script({
    clerk: [
      call(use('greet', {}, 'call_0')),
      call(use('note', { text: 'one' }, 'call_1')),
      call(
        use('note', { text: 'two' }, 'call_2'),
        use('pick', { from: ['red', 'blue'] }, 'call_3'),
        use('send', { to: 'ann' }, 'call_4'),
        use('subagent__scout', {}, 'call_5'),
        use('late', {}, 'call_6'),
      ),
      say('done'),
      say('and again'),
    ],
    scout: [call(use('look', { where: 'outside' }, 'call_1')), finish('sunny')],
  });
  const executor = startOver(world, { llmAdapter, agentRegistry: { clerk }, clock });
  return { clerk, executor, ran };
}

/** A process over the stores of the world, with nothing in between. */
export function startOver(
  world: TestWorld,
  parts: Pick<ExecutorParts, 'llmAdapter' | 'agentRegistry' | 'clock'>,
): ExecutorUnderTest {
  const { stateStore, streamManager, usageStore } = world;
  return world.start({ stateStore, streamManager, usageStore, seams: {}, ...parts });
}

/** What was answered in the first step. */
export const GREETING: SubmitToolResult = {
  kind: 'client-tool-result',
  sessionId: SESSION,
  toolCallId: 'call_0',
  result: 'hello',
};

/** Leaves the session suspended, as described above. */
export async function suspendSession(world: TestWorld, clock: Clock = systemClock): Promise<void> {
  const { clerk, executor } = openGolden(world, clock);
  const first = await executor.execute(clerk, 'Go.', { sessionId: SESSION, userId: 'ann' });
  await first.result();
  await executor.submitToolResult(GREETING);
  const result = await (await executor.resume(SESSION)).result();
  if (!('suspended' in result)) throw new Error(`Not suspended: ${JSON.stringify(result)}`);
}

/** Answers everything that is open, and resumes. */
export async function finishSession({ executor }: Golden): Promise<unknown> {
  await executor.sweep();
  const { items } = await executor.listOpenCalls({ rootSessionId: SESSION });
  for (const { toolCallId, kind } of items) {
    const named = { sessionId: SESSION, toolCallId };
    await executor.submitToolResult(
      kind === 'approval'
        ? { kind: 'approval-response', ...named, approved: true }
        : { kind: 'client-tool-result', ...named, result: 'blue' },
    );
  }
  return (await executor.resume(SESSION)).result();
}
