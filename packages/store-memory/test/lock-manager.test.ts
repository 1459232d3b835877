import { InMemoryLockManager } from '@helix-agents/store-memory';
import { manualClock, testLockManager } from '@helix-agents/testing';

testLockManager({
  name: 'memory',
  ttlMs: 1_000,
  create: async () => {
    const clock = manualClock();
    return {
      locks: new InMemoryLockManager({ now: clock.now }),
      advance: clock.advance,
      close: async () => {},
    };
  },
});
