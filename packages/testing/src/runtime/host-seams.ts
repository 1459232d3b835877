import type { Databases, Operations, runSession } from '@helix-agents/core/host';

/** Where a host or a test intercepts the parts of an executor. Nothing here changes what an agent does. */
export interface HostSeams {
  readonly databases?: Databases;
  readonly wrapOperations?: (operations: Operations) => Operations;
  readonly runLoop?: typeof runSession;
  readonly shareMemory?: boolean;
  readonly attempts?: number;
}
