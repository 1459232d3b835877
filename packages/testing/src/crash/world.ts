import {
  assertValidTranscript,
  type AgentConfig,
  type LLMAdapter,
  type SessionRow,
} from '@helix-agents/core';
import type { SessionRef, SessionStore } from '@helix-agents/core/store';
import { watchDigests } from '../world/event-loop.ts';
import { storeOf, type ExecutorUnderTest, type TestWorld } from '../world/test-world.ts';
import { VirtualTime } from '../world/virtual-time.ts';
import { ROOT, ROOT_REF, type TestCrashesOptions } from './harness.ts';
import { Ledger } from './ledger.ts';
import { MortalProcess, type Fate } from './mortal-process.ts';
import { agentKit } from './agent-kit.ts';
import type { Scenario } from './scenario.ts';
import { dumpTree, type TreeDump } from './tree-dump.ts';

export const LEASE_MS = 15_000;

/** A process and the executor in it. */
export interface Running {
  readonly process: MortalProcess;
  readonly executor: ExecutorUnderTest;
  readonly agent: AgentConfig;
}

/** Stores, time and a ledger that outlive the processes started in it. */
export class World {
  readonly time: VirtualTime;
  readonly ledger: Ledger = new Ledger();
  readonly processes: MortalProcess[] = [];
  readonly stores: TestWorld;
  readonly scenario: Scenario;

  private constructor(scenario: Scenario, time: VirtualTime, stores: TestWorld) {
    this.scenario = scenario;
    this.time = time;
    this.stores = stores;
  }

  static async open({ open, seed = 1 }: TestCrashesOptions, scenario: Scenario): Promise<World> {
    watchDigests();
    const time = new VirtualTime();
    const watch = (store: SessionStore): SessionStore => store;
    const stores = await open({ now: time.now, seed, title: scenario.name, watch });
    return new World(scenario, time, stores);
  }

  /** How often a process died so far. */
  get deaths(): number {
    return this.processes.filter((process) => process.dead).length;
  }

  storeOf(ref: SessionRef): SessionStore {
    return storeOf(this.stores, ref);
  }

  readRoot(): Promise<SessionRow | null> {
    return this.time.working(() => this.storeOf(ROOT_REF).readSession(ROOT_REF));
  }

  dump(): Promise<TreeDump> {
    const databases = { of: (ref: SessionRef) => this.storeOf(ref) };
    return dumpTree({ databases, streamManager: this.stores.streamManager }, ROOT);
  }

  /** Starts a process. `patient`: it retries what fails instead of giving up at once. */
  boot(fate: Fate | null, patient = false): Running {
    const process = new MortalProcess(this.time, this.processes.length + 1, fate);
    this.processes.push(process);
    const agent = this.scenario.agent(agentKit(this, process));
    const { stateStore, streamManager } = this.stores;
    let ids = 0;
    const executor = this.stores.start({
      stateStore: {
        sessions: process.store(stateStore.sessions),
        index: process.index(stateStore.index),
      },
      streamManager: process.streams(streamManager),
      llmAdapter: process.model(this.#model(process)),
      agentRegistry: { [agent.name]: agent },
      clock: process.clock,
      newId: () => `id-${process.number}${String((ids += 1)).padStart(5, '0')}`,
      leaseMs: LEASE_MS,
      limits: { pollMs: 1_000 },
      seams: {
        attempts: patient ? 4 : 1,
        databases: { of: (ref) => process.store(this.storeOf(ref)) },
      },
    });
    return { process, executor, agent };
  }

  /** The scenario's model, slow enough for its chunks to be written while it speaks, in a strict provider's manner. */
  #model(process: MortalProcess): LLMAdapter {
    return {
      generateStep: async (input) => {
        this.ledger.prompts += 1;
        try {
          assertValidTranscript(input.messages);
        } catch (error) {
          this.ledger.faults.push(String(error));
        }
        const answer = this.scenario.model(input);
        const text = answer.type === 'text' || answer.type === 'tool_calls' ? answer.content : '';
        for (const piece of (text ?? '').split(/(?<= )/)) {
          if (piece === '') continue;
          await input.callbacks.onTextDelta(piece);
          await process.sleep(30);
        }
        if (answer.type === 'tool_calls') {
          for (const [index, { id, name }] of answer.toolCalls.entries()) {
            await input.callbacks.onToolInputStart({ index, id, name });
          }
        }
        return answer;
      },
    };
  }
}
