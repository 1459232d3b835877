import type { SessionRef } from '@helix-agents/core/store';
import type { OpenTestWorld } from '../world/test-world.ts';

/** The one root session of every scenario. */
export const ROOT = 's1';
export const ROOT_REF: SessionRef = { rootId: ROOT, sessionId: ROOT };

export interface TestCrashesOptions {
  readonly name: string;
  /** An empty world for one run of one scenario. */
  readonly open: OpenTestWorld;
  /** Every n-th boundary of each scenario; 1, the default, is all of them. */
  readonly stride?: number;
  /** Sessions of a tree live in databases of their own. */
  readonly apart?: boolean;
  /** Of the random pairs of deaths. */
  readonly seed?: number;
}
