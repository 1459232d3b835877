import type { LLMTool } from '../llm/adapter.ts';

/**
 * What a function of a capability returned for a session, as the first plan had it: journal kind `pin`, step 0, which no step
 * deletes. A capability may have several; the first that has a value counts.
 */
export interface CapabilityPin {
  readonly capability: string;
  readonly prompt?: string;
  readonly tools?: readonly LLMTool[];
}
