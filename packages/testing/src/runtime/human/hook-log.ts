import type { AgentHooks, HookContext, HookName, HookPayloads } from '@helix-agents/core';
import { HOOK_TABLE } from '@helix-agents/core';

export interface FiredHook {
  readonly name: HookName;
  /** Of the call, the message or the run it is about. */
  readonly about: string;
  readonly agentType: string;
}

export interface HookLog {
  /** All hooks there are. */
  readonly hooks: AgentHooks;
  /** Each hook once, in the order of first firings: a host may repeat an operation and its hooks with it. */
  fired(): readonly FiredHook[];
  /** The same as text, of one agent or one call. */
  of(filter: Partial<FiredHook>): readonly string[];
  /** Something else that happened, between two hooks. */
  note(what: string, about: string, agentType: string): void;
}

type AnyHook = (payload: never, context: HookContext) => void | Promise<void>;

/** `also` is awaited inside every hook. */
export function hookLog(
  also: (name: HookName, payload: unknown, context: HookContext) => unknown = () => undefined,
): HookLog {
  const seen = new Map<string, FiredHook>();
  const keep = (fired: FiredHook, sessionId: string): void => {
    const key = `${sessionId} ${fired.name} ${fired.about}`;
    if (!seen.has(key)) seen.set(key, fired);
  };
  const hookFor = (name: HookName): AnyHook => {
    return async (payload, context) => {
      const { agentType, sessionId } = context;
      keep({ name, about: aboutOf(payload, context), agentType }, sessionId);
      await also(name, payload, context);
    };
  };
  const names = Object.keys(HOOK_TABLE) as HookName[];
  return {
    hooks: Object.fromEntries(names.map((name) => [name, hookFor(name)])) as AgentHooks,
    fired: () => [...seen.values()],
    of: (filter) =>
      [...seen.values()]
        .filter((one) =>
          Object.entries(filter).every(([key, value]) => Reflect.get(one, key) === value),
        )
        .map((one) => ('about' in filter ? one.name : `${one.name} ${one.about}`)),
    note: (what, about, agentType) =>
      keep({ name: what as HookName, about, agentType }, `${agentType} ran`),
  };
}

function aboutOf(payload: HookPayloads[HookName], context: HookContext): string {
  if ('toolCallId' in payload) return payload.toolCallId;
  if ('call' in payload) return payload.call.toolCallId;
  if ('message' in payload) {
    const { message } = payload;
    return message.role === 'tool' ? message.toolCallId : `step ${context.stepId}`;
  }
  if ('messages' in payload || 'result' in payload) return `step ${context.stepId}`;
  return `run ${context.runId}`;
}
