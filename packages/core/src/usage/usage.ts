import type { JsonObject } from '../json.ts';
import type { UsageKind } from '../store/rows.ts';

export interface TokenCounts {
  readonly prompt?: number;
  readonly completion?: number;
  readonly reasoning?: number;
  readonly cached?: number;
  readonly total?: number;
}

/** One measurement. Entries of the engine are written with the commit that they belong to. */
export interface UsageEntry {
  /** Unique in its session. */
  readonly id: string;
  readonly sessionId: string;
  readonly rootId: string;
  readonly runId: string;
  readonly stepCount: number;
  readonly timestamp: number;
  readonly kind: UsageKind;
  /** Of a custom entry: the metric, and the tool that it is about. */
  readonly source: { readonly type: string; readonly name: string };
  /** tokens: `{ model, tokens }`; tool and subagent: `{ success, durationMs }`; custom: what was recorded. */
  readonly data: JsonObject;
}

export interface UsageRollup {
  readonly tokens: Required<TokenCounts>;
  readonly toolStats: { readonly totalCalls: number; readonly failedCalls: number };
  readonly subAgentStats: { readonly totalCalls: number; readonly failedCalls: number };
  readonly modelCalls: number;
  /** Sum of `data.value` per custom metric. */
  readonly custom: { readonly [name: string]: number };
}

export interface UsageStore {
  /** Left out if its session has an entry with this id, so that one recorded twice counts once. */
  recordEntry(entry: UsageEntry): Promise<void>;
  getEntries(
    sessionId: string,
    filter?: { readonly kinds?: readonly UsageKind[] },
  ): Promise<readonly UsageEntry[]>;
  /** Of this session and all below it. */
  getRollup(sessionId: string): Promise<UsageRollup>;
}
