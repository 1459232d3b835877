import type { JsonObject } from '../json.ts';

export type UsageKind = 'tokens' | 'tool' | 'subagent' | 'custom';

export interface UsageRow {
  readonly id: string;
  readonly sessionId: string;
  readonly rootId: string;
  readonly runId: string;
  readonly stepCount: number;
  readonly kind: UsageKind;
  readonly sourceType: string;
  readonly sourceName: string;
  readonly data: JsonObject;
  readonly timestamp: number;
}
