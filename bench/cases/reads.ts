import { AgentRegistry, type AgentConfig } from '@helix-agents/core';
import type { SessionRef, SessionStore } from '@helix-agents/core/store';
import { JSAgentExecutor } from '@helix-agents/runtime-js';
import {
  createMemorySessionStore,
  InMemoryStreamManager,
  MemoryDatabase,
} from '@helix-agents/store-memory';
import { z } from 'zod';
import { benchAgent, steppingThenAskingModel } from '../lib/agents.ts';
import { chatReads } from '../lib/chat-reads.ts';
import { countingReads, perUnit, type Reads } from '../lib/counting.ts';
import { executorFor, runTurn } from '../lib/executors.ts';
import type { BenchCase, Result } from '../lib/measure.ts';
import { memoryStores } from '../lib/stores.ts';
import { parent, waveModel } from '../lib/waves.ts';

const STEPS = 500;
/** Every checkpoint and every session row holds it. */
const STATE = { text: 'x'.repeat(10_000) };

/** What is read, counted and not timed: by a wave of children that live apart, by an abort, by a superseding message and by a chat message. */
export const reads: BenchCase = {
  name: 'reads',
  async run({ progress }) {
    const results: Result[] = [];
    for (const children of [4, 16, 64]) {
      progress(`reads: ${children} children apart`);
      results.push(await wave(children));
    }
    for (const what of ['abort', 'superseding message'] as const) {
      progress(`reads: ${what}`);
      results.push(await stop(what));
    }
    progress('reads: chat message');
    results.push(await chatMessage());
    return results;
  },
};

/** Every session has a store of its own. */
async function wave(children: number): Promise<Result> {
  const counted: Reads = { count: 0, bytes: 0 };
  const stores = new Map<string, SessionStore>();
  const of = ({ sessionId }: SessionRef): SessionStore => {
    const known =
      stores.get(sessionId) ??
      countingReads(createMemorySessionStore(new MemoryDatabase()), counted);
    stores.set(sessionId, known);
    return known;
  };
  const agentRegistry = new AgentRegistry();
  agentRegistry.register(parent);
  const executor = new JSAgentExecutor({
    stateStore: {
      sessions: of({ rootId: 's', sessionId: 's' }),
      index: createMemorySessionStore(new MemoryDatabase()),
    },
    streamManager: new InMemoryStreamManager(),
    llmAdapter: waveModel(children),
    agentRegistry,
    seams: { databases: { of } },
  });
  await runTurn(executor, parent, 's');
  return {
    case: 'reads',
    name: `a wave of ${children} children, each with a store of its own`,
    value: counted.count / children,
    unit: 'reads per child',
    detail: `${counted.count} reads`,
  };
}

async function stop(what: 'abort' | 'superseding message'): Promise<Result> {
  const stores = memoryStores();
  const agent: AgentConfig = {
    ...benchAgent('reads', 'step'),
    stateSchema: z.object({ text: z.string().default('') }),
  };
  const model = steppingThenAskingModel(STEPS);
  const first = await executorFor(stores, model, agent).execute(
    agent,
    { message: 'go', state: STATE },
    { sessionId: 's' },
  );
  const { status } = await first.result();
  if (status !== 'suspended_client_tool') throw new Error(status);
  const counted: Reads = { count: 0, bytes: 0 };
  const other = executorFor(
    {
      ...stores,
      stateStore: {
        ...stores.stateStore,
        sessions: countingReads(stores.stateStore.sessions, counted),
      },
      streamManager: countingReads(stores.streamManager, counted),
    },
    model,
    agent,
  );
  if (what === 'abort') await other.abort('s');
  else
    await other.execute(agent, 'something else', {
      sessionId: 's',
      onMessageWhileSuspended: 'supersede',
    });
  const { count, bytes } = counted;
  return {
    case: 'reads',
    name: `${what}, session of ${STEPS} steps with 10 kB of state`,
    value: bytes / 1_000,
    unit: 'kB read',
    detail: `${count} reads`,
  };
}

/** Of a user that the server authenticates, in a session that exists. */
async function chatMessage(): Promise<Result> {
  const counts = await chatReads();
  return {
    case: 'reads',
    name: 'chat message, before the first byte of its answer',
    value: [...counts.values()].reduce((sum, count) => sum + count, 0),
    unit: 'reads',
    target: { atMost: 5 },
    detail: perUnit(counts, 1),
  };
}
