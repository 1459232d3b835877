import {
  createSubAgentTool,
  defineAgent,
  defineTool,
  type AgentConfig,
  type Durability,
  type JsonObject,
  type Schema,
  type Tool,
  type ToolContext,
} from '@helix-agents/core';
import type { SessionRef, SessionStore } from '@helix-agents/core/store';
import { ROOT } from './harness.ts';
import type { Ledger } from './ledger.ts';
import type { MortalProcess } from './mortal-process.ts';
import type { VirtualTime } from '../world/virtual-time.ts';

interface ServerTool {
  /** How long it works. */
  readonly ms?: number;
  readonly execution?: 'retry' | 'once';
  readonly requireApproval?: true;
  readonly finishWith?: true;
  /** Appends its name to `notes` of the custom state. */
  readonly notes?: true;
}

/** Makes tools and agents whose every execution passes the process they run in and is entered in the ledger. */
export interface AgentKit {
  server(name: string, options?: ServerTool): Tool;
  client(name: string): Tool;
  child(agent: AgentConfig): Tool;
  agent(name: string, tools: readonly Tool[], options?: AgentOptions): AgentConfig;
}

interface AgentOptions {
  readonly durability?: Durability;
  /** Ends by `__finish__`, as a sub-agent must. */
  readonly finishes?: true;
}

/** What tools reach outside of their process. */
interface Outside {
  readonly time: VirtualTime;
  readonly ledger: Ledger;
  storeOf(ref: SessionRef): SessionStore;
}

export function agentKit(world: Outside, process: MortalProcess): AgentKit {
  return {
    server: (name, options = {}) => serverTool(world, process, name, options),
    client: (name) =>
      defineTool({ name, inputSchema: ANYTHING, execute: 'client', clientToolTimeoutMs: 'never' }),
    child: (agent) => createSubAgentTool(agent, ANYTHING),
    agent: (name, tools, options = {}) =>
      defineAgent({
        name,
        systemPrompt: name,
        llmConfig: { model: 'scripted', maxRetries: 0 },
        stateSchema: NOTES,
        tools,
        ...(options.durability ? { durability: options.durability } : {}),
        ...(options.finishes ? { outputSchema: ANYTHING } : {}),
      }),
  };
}

function serverTool(
  world: Outside,
  process: MortalProcess,
  name: string,
  { ms = 0, notes, ...options }: ServerTool,
): Tool {
  const work = async (context: ToolContext): Promise<JsonObject> => {
    const { sessionId } = context;
    const store = world.storeOf({ rootId: ROOT, sessionId });
    await world.time.working(() => world.ledger.enter(store, ROOT, name, context, process));
    // Inside of it: begun, and not done.
    await process.pass({ place: 'tool', what: `${name} inside` }, async () => {});
    if (ms > 0) await process.sleep(ms);
    if (notes) context.updateState<{ notes: string[] }>((state) => void state.notes.push(name));
    return { done: name, key: context.idempotencyKey };
  };
  return defineTool({
    ...options,
    name,
    inputSchema: ANYTHING,
    execute: (_input, context) =>
      process.pass({ place: 'tool', what: name }, async () => {
        process.executing += 1;
        process.running.push(name);
        try {
          return await work(context);
        } finally {
          process.executing -= 1;
          process.running.splice(process.running.indexOf(name), 1);
        }
      }),
  }) as Tool;
}

/** A Standard Schema of its own, so that the suite needs no validation library. */
function schema<T>(read: (value: JsonObject) => T): Schema<T> {
  const standard = {
    version: 1 as const,
    vendor: 'helix-testing',
    validate: (value: unknown) => ({ value: read(value as JsonObject) }),
    jsonSchema: { input: () => ({ type: 'object' }) },
  };
  return { '~standard': standard };
}

const ANYTHING = schema((value) => value);
const NOTES = schema((value) => ({ notes: [], ...value }));
