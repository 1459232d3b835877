import { HelixError, type Durability, type LLMAdapter } from '@helix-agents/core';
import type { SessionRef, SessionStore } from '@helix-agents/core/store';
import { findTranscriptFault } from '@helix-agents/core/host';
import { agentTree, type AgentTree } from './agent-tree.ts';
import { gatedStore, gatedStreams, loggedCarrier, type Gate } from './gated-stores.ts';
import type { LogAppend, ScheduleLog } from './schedule-log.ts';
import { hashText } from '../world/random.ts';
import { scriptedAnswer } from './scripted-answers.ts';
import type { SimulatedProcess, Simulator } from './simulator.ts';
import { wrapDatabases, type StoreFault } from '../world/fault-line.ts';
import { storeOf, type ExecutorUnderTest, type TestWorld } from '../world/test-world.ts';

/** An executor that can be paused and killed, and whose store and model can fail. */
export interface ScheduleProcess extends SimulatedProcess {
  readonly executor: ExecutorUnderTest;
  readonly tree: AgentTree;
  /** Faults for its next calls to the store, in order. */
  storeFaults: StoreFault[];
  /** Errors for its next model calls, in order. */
  modelFaults: ('retryable' | 'final')[];
}

export interface Surroundings {
  readonly open: TestWorld;
  readonly simulator: Simulator;
  readonly log: ScheduleLog;
  readonly seed: number;
  readonly durability: Durability;
  readonly leaseMs: number;
}

export const LEASE_MS = 15_000;
const MAX_RECOVERIES = 4;
/** No session has this id: for a store that serves all of them. */
const NOBODY: SessionRef = { rootId: '', sessionId: '' };

export function startProcess(name: string, around: Surroundings): ScheduleProcess {
  const { open, simulator, log, durability, leaseMs } = around;
  const process: SimulatedProcess & Pick<ScheduleProcess, 'storeFaults' | 'modelFaults'> = {
    name,
    state: 'up',
    storeFaults: [],
    modelFaults: [],
  };
  const gate: Gate = (label, work) => simulator.call(process, label, work);
  const nextFault = (): StoreFault => process.storeFaults.shift() ?? 'pass';
  const appending = (): LogAppend => log.appending(name);
  const headOf = async (streamId: string): Promise<number> =>
    (await open.streamManager.getStreamInfo(streamId))?.head ?? 0;
  const carrier = (store: SessionStore): SessionStore => loggedCarrier(store, appending, headOf);
  const databases = wrapDatabases({ of: (ref) => storeOf(open, ref) }, (store) =>
    gatedStore(carrier(store), gate, nextFault),
  );
  const tree = agentTree(performIn(process, around), durability);
  let ids = 0;
  const executor = open.start({
    stateStore: {
      sessions: databases.of(NOBODY),
      index: gatedStore(open.stateStore.index, gate, nextFault),
    },
    streamManager: gatedStreams(open.streamManager, gate, appending),
    llmAdapter: modelIn(process, around),
    clock: simulator.clockOf(process),
    newId: () => `${name}.${(ids += 1).toString(36).padStart(6, '0')}`,
    leaseMs,
    limits: { maxRecoveries: MAX_RECOVERIES, pollMs: 1_000 },
    seams: { attempts: 2, databases },
    agentRegistry: { root: tree.root },
  });
  return Object.assign(process, { executor, tree });
}

function performIn(
  process: SimulatedProcess,
  { simulator, log }: Surroundings,
): Parameters<typeof agentTree>[0] {
  return async (toolName, input, context) => {
    const { sessionId, runId, toolCallId: callId } = context;
    log.execution(process.name, { sessionId, runId, callId, toolName, input: { ...input } });
    await simulator.call(process, `tool.${toolName}`, async () => undefined);
    if (hashText(callId + sessionId) % 11 === 0) throw new Error(`${toolName} refused ${callId}`);
    return `${toolName} ${input.text} for ${callId}`;
  };
}

const LINGER_MS = 10_000;

function modelIn(
  process: SimulatedProcess & Pick<ScheduleProcess, 'modelFaults'>,
  { simulator, log, seed }: Surroundings,
): LLMAdapter {
  return {
    async generateStep(input) {
      const { agentId, agentType, messages, callbacks } = input;
      log.prompt(process.name, { sessionId: agentId, agentType, messages: [...messages] });
      const fault = findTranscriptFault(messages);
      if (fault) throw new HelixError({ code: 'provider_transcript_invalid', message: fault });
      await simulator.call(process, 'model.begin', async () => undefined);
      const answer = scriptedAnswer(seed, input);
      const content = answer.type === 'text' || answer.type === 'tool_calls' ? answer.content : '';
      if (content) await callbacks.onTextDelta(content.slice(0, 3));
      // Long enough to be stopped in mid-sentence.
      if (content && hashText(`${seed} ${agentId} ${messages.length}`) % 2 === 0)
        await new Promise<void>((resolve) =>
          simulator.clockOf(process).setTimer(LINGER_MS, resolve),
        );
      await simulator.call(process, 'model.middle', async () => undefined);
      const failure = process.modelFaults.shift();
      if (failure) {
        const code = failure === 'retryable' ? 'provider_overloaded' : 'provider_auth_failed';
        throw new HelixError({ code, message: 'injected' });
      }
      if (content && content.length > 3) await callbacks.onTextDelta(content.slice(3));
      if (answer.type === 'tool_calls') {
        for (const [index, { id, name }] of answer.toolCalls.entries())
          await callbacks.onToolInputStart({ index, id, name });
      }
      await simulator.call(process, 'model.end', async () => undefined);
      return answer;
    },
  };
}
