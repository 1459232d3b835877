import {
  systemClock,
  type AgentConfig,
  type AgentExecutor,
  type Clock,
  type FullStreamManager,
  type LLMAdapter,
  type StateStore,
  type SubmitToolResult,
  type UsageStore,
} from '@helix-agents/core';
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

/** Stores of one database. */
export interface KeptStores {
  readonly stateStore: StateStore;
  readonly streamManager: FullStreamManager;
  readonly usageStore: UsageStore;
  close(): Promise<void>;
}

export interface KeptParts extends Omit<KeptStores, 'close'> {
  readonly llmAdapter: LLMAdapter;
  readonly agentRegistry: { readonly [agentType: string]: AgentConfig };
  readonly clock: Clock;
}

export interface KeptExecutor extends AgentExecutor {
  submitToolResult: NonNullable<AgentExecutor['submitToolResult']>;
  sweep(): Promise<unknown>;
}

/** A process: an executor over stores that outlive it. */
export type StartKept = (parts: KeptParts) => KeptExecutor;

/** A clerk who asks people for nearly everything, and notes what really ran. */
export interface Office {
  readonly clerk: AgentConfig;
  readonly executor: KeptExecutor;
  readonly ran: readonly string[];
}

export const SESSION = 'golden';

const CENTURY = 100 * 365 * 24 * 3_600_000;

/**
 * The session these suites keep. A client call of its first step was answered and is settled. Its third step stands
 * half done: one tool has finished, a client call, an approval and a call of a sub-agent's are open, and the deadline of
 * one more client call runs out soon.
 */
export function openOffice(
  stores: KeptStores,
  start: StartKept,
  clock: Clock = systemClock,
): Office {
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
  const { stateStore, streamManager, usageStore } = stores;
  const executor = start({
    stateStore,
    streamManager,
    usageStore,
    llmAdapter,
    agentRegistry: { clerk },
    clock,
  });
  return { clerk, executor, ran };
}

/** What was answered in the first step. */
export const GREETING: SubmitToolResult = {
  kind: 'client-tool-result',
  sessionId: SESSION,
  toolCallId: 'call_0',
  result: 'hello',
};

/** Leaves the session suspended, as described above. */
export async function suspendSession(
  stores: KeptStores,
  start: StartKept,
  clock: Clock = systemClock,
): Promise<void> {
  const { clerk, executor } = openOffice(stores, start, clock);
  const first = await executor.execute(clerk, 'Go.', { sessionId: SESSION, userId: 'ann' });
  await first.result();
  await executor.submitToolResult(GREETING);
  const result = await (await executor.resume(SESSION)).result();
  if (!('suspended' in result)) throw new Error(`Not suspended: ${JSON.stringify(result)}`);
}

/** Answers everything that is open, and resumes. */
export async function finishSession(office: Office): Promise<unknown> {
  const { executor } = office;
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
