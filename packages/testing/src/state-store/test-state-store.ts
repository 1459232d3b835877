import { describe, onTestFinished } from 'vitest';
import { checkpoints } from './checkpoints.ts';
import { compareAndSetStatus } from './compare-and-set-status.ts';
import { createSessionOnce } from './create-session-once.ts';
import type { OpenStateStore, TestStateStoreOptions } from './harness.ts';
import { interruptFlags } from './interrupt-flags.ts';
import { liveOwnerIsLeftAlone } from './live-owner-is-left-alone.ts';
import { lostRepliesAreSettled } from './lost-replies-are-settled.ts';
import { messagePaging } from './message-paging.ts';
import { runsByHand } from './runs-by-hand.ts';
import { saveIsVersioned } from './save-is-versioned.ts';
import { stagingIsAtomic } from './staging-is-atomic.ts';
import { stateIsAView } from './state-is-a-view.ts';
import { subSessions } from './sub-sessions.ts';
import { waitingStepIsLeftAlone } from './waiting-step-is-left-alone.ts';

/**
 * What the long surface of every state store must hold to. Registers vitest tests; each opens its own, empty store. A
 * shared store is raced over two connections.
 *
 * @example
 * testStateStore({
 *   name: 'memory',
 *   create: async () => ({ store: new InMemoryStateStore(), close: async () => {} }),
 *   capabilities: { shared: false },
 * });
 */
export function testStateStore(options: TestStateStoreOptions): void {
  const { name, capabilities } = options;
  const open: OpenStateStore = async () => {
    const opened = await options.create();
    onTestFinished(() => opened.close());
    const { store } = opened;
    if (!capabilities.shared) return { store, connections: [store] };
    if (!opened.openSecond) throw new Error('a shared store needs `openSecond` to be tested');
    return { store, connections: [store, await opened.openSecond()] };
  };
  describe(`state store: ${name}`, () => {
    for (const property of properties) property(open);
  });
}

const properties: readonly ((open: OpenStateStore) => void)[] = [
  createSessionOnce,
  stateIsAView,
  saveIsVersioned,
  compareAndSetStatus,
  liveOwnerIsLeftAlone,
  waitingStepIsLeftAlone,
  messagePaging,
  stagingIsAtomic,
  checkpoints,
  runsByHand,
  interruptFlags,
  subSessions,
  lostRepliesAreSettled,
];
