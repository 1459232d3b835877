import { setTimeout as wait } from 'node:timers/promises';
import type {
  AgentConfig,
  AgentExecutionHandle,
  SessionRow,
  SubmitToolResult,
} from '@helix-agents/core';
import type { SessionStore } from '@helix-agents/core/store';
import { HelixError } from '@helix-agents/core';
import { JSAgentExecutor } from '@helix-agents/runtime-js';
import { factsOfPlan } from '@helix-agents/testing/tree';
import { mixedAgent, nestedAgent, scriptedModel, slowAgent, type Reach } from './agents.ts';
import { openStores, type StoreAddress, type Stores } from './store-address.ts';

export const LEASE_MS = 400;
/** Lease of processes that are not stopped: far longer than a loaded machine delays a renewal. */
export const LONG_LEASE_MS = 8_000;

export interface Stage {
  readonly stores: Stores;
  readonly executor: JSAgentExecutor;
  readonly agents: Readonly<Record<'mixed' | 'slow' | 'nested', AgentConfig>>;
}

export interface StageOptions {
  readonly address: StoreAddress;
  readonly ledger: string;
  readonly reach?: Reach;
  /** What the slow tool waits for. */
  readonly slow?: () => Promise<unknown>;
  readonly leaseMs?: number;
  /** How long each server tool works; not at all by default. */
  readonly pace?: () => Promise<unknown>;
}

/** An executor over the store, as each process of these tests has it. */
export async function openStage(options: StageOptions): Promise<Stage> {
  const { address, ledger, reach = () => {}, slow = () => wait(600), leaseMs = LEASE_MS } = options;
  const stores = await openStores(address);
  const around = { ledger, reach, ...(options.pace && { pace: options.pace }) };
  const agents = {
    mixed: mixedAgent(around),
    slow: slowAgent(around, slow),
    nested: nestedAgent(),
  };
  const { stateStore, streamManager } = stores;
  const executor = new JSAgentExecutor({
    stateStore: { sessions: watched(stateStore.sessions, reach), index: stateStore.index },
    streamManager,
    llmAdapter: scriptedModel(reach),
    agentRegistry: agents,
    leaseMs,
    limits: { pollMs: 50, maxRecoveries: 1_000 },
  });
  return { stores, executor, agents };
}

/** Reports every write, before and after it is applied. */
function watched(store: SessionStore, reach: Reach): SessionStore {
  return new Proxy(store, {
    get(target, property): unknown {
      const value: unknown = Reflect.get(target, property);
      if (typeof value !== 'function') return value;
      return async (...args: unknown[]): Promise<unknown> => {
        const place = placeOf(String(property), args);
        reach(`before ${place}`);
        const reply: unknown = await Reflect.apply(value, target, args);
        reach(`after ${place}`);
        return reply;
      };
    },
  });
}

/** The method; of a commit what it is for, `below` where it is a child's, and the index of the call it records. */
function placeOf(method: string, args: unknown[]): string {
  if (method !== 'commit') return method;
  const facts = factsOfPlan(args[0] as Parameters<SessionStore['commit']>[0]);
  const index = facts.purpose === 'result' ? ` ${facts.index}` : '';
  return `${facts.purpose}${index}${facts.below ? ' below' : ''}`;
}

export interface LiveOptions {
  readonly sessionId: string;
  readonly agent: AgentConfig;
  /** User messages the session shall have; the next is sent when it has ended. */
  readonly turns?: () => number;
  /** Stops the run once, while its slow tool works. */
  readonly interrupt?: boolean;
}

/** Plays the person of one session until it has ended: looks at the store, does what comes next. */
export async function live(stage: Stage, options: LiveOptions): Promise<SessionRow> {
  const { executor, stores } = stage;
  const { sessionId, agent, turns = () => 1 } = options;
  const ref = { rootId: sessionId, sessionId };
  const { sessions } = stores.stateStore;
  for (;;) {
    const root = await sessions.readSession(ref);
    if (!root || root.status === 'completed' || root.status === 'failed') {
      const messages = await sessions.readMessages(ref);
      const said = messages.filter(({ message }) => message.role === 'user').length;
      if (root && said >= turns()) {
        await executor.getHandle(agent, sessionId);
        return root;
      }
      await follow(options, stage, () =>
        executor.execute(agent, `message ${said + 1}`, { sessionId }),
      );
    } else if (root.status === 'running') {
      await watchRun(stage, options, root);
    } else {
      for (const submission of await openSubmissions(sessions, sessionId)) {
        await executor.submitToolResult(submission);
      }
      await follow(options, stage, () => executor.resume({ sessionId }));
    }
  }
}

/** The run of another process: it is taken over once its owner is dead. */
async function watchRun(stage: Stage, options: LiveOptions, root: SessionRow): Promise<void> {
  if (root.leaseUntil !== null && root.leaseUntil <= Date.now()) {
    await follow(options, stage, () => stage.executor.resume({ sessionId: options.sessionId }));
  }
  await wait(10);
}

/**
 * Starts a run and stays with it to its end. A process that is kept waiting for longer than its lease must not take its
 * own run for that of a dead one.
 */
async function follow(
  { sessionId, interrupt }: LiveOptions,
  { executor, stores }: Stage,
  start: () => Promise<AgentExecutionHandle>,
): Promise<void> {
  await unlessMoved(async () => {
    const handle = await start();
    let over = false;
    const ended = handle.result().finally(() => (over = true));
    while (interrupt && !over) {
      const root = await stores.stateStore.sessions.readSession({ rootId: sessionId, sessionId });
      if (root?.status === 'running' && root.turn === 1 && root.records > 1) {
        await executor.interrupt(sessionId);
      }
      await wait(10);
    }
    await ended;
  });
}

async function openSubmissions(
  store: SessionStore,
  sessionId: string,
): Promise<SubmitToolResult[]> {
  const rows = await store.readCalls(sessionId);
  return rows
    .filter((row) => row.state === 'open')
    .map(({ kind, toolCallId }) =>
      kind === 'approval'
        ? { kind: 'approval-response', sessionId, toolCallId, approved: true }
        : { kind: 'client-tool-result', sessionId, toolCallId, result: 'red' },
    );
}

/** Somebody else was faster, or the session is elsewhere by now: look again. */
export async function unlessMoved(operation: () => Promise<unknown>): Promise<void> {
  try {
    await operation();
  } catch (error) {
    if (!HelixError.isInstance(error)) throw error;
    const codes = ['run_already_running', 'session_not_resumable', 'session_suspended'];
    if (!codes.includes(error.code)) throw error;
  }
}
