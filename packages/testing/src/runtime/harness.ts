import type { OpenTestWorld } from '../world/test-world.ts';

export interface TestRuntimeOptions {
  readonly name: string;
  /** Who notices that a process died: others, by its lease (default), or the engine that the runtime is built on. */
  readonly keepsRunsAlive?: 'lease' | 'engine';
  /** Sessions of a tree live in databases of their own. */
  readonly apart?: boolean;
  /** An empty world for one scenario. */
  readonly open: OpenTestWorld;
  /** Another runtime, on which each scenario that is no race has to leave the same history. */
  readonly sameAs?: OpenTestWorld;
  /** Which scenarios are not skipped, by their place in the list: for one more database under a runtime that plays all. */
  readonly plays?: (place: number) => boolean;
}
