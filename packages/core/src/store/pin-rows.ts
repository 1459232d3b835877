import type { LLMTool } from '../llm/adapter.ts';

/**
 * What a capability brought to a session from outside, as the first plan had it: journal kind `pin`, step 0, which no step
 * deletes. A capability may have several, of which the first that says something counts.
 */
export interface CapabilityPin {
  readonly capability: string;
  readonly prompt?: string;
  readonly tools?: readonly LLMTool[];
}
