// If this fails: two holders of one lock at once, or a lock nobody can ever take again. LOCK-01.
import type { LockManager } from '@helix-agents/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { inParallel } from './everything.ts';

/** One lock manager without locks, opened for one test. */
export interface LockManagerUnderTest {
  readonly locks: LockManager;
  /** Lets time pass on the clock of the locks. */
  readonly advance: (ms: number) => Promise<void>;
  close(): Promise<void>;
}

export interface TestLockManagerOptions {
  readonly name: string;
  create(): Promise<LockManagerUnderTest>;
  /** A time-to-live that is long enough for a few operations. */
  readonly ttlMs: number;
}

/** What every lock manager must hold to. Registers vitest tests; each opens its own. */
export function testLockManager(options: TestLockManagerOptions): void {
  const { ttlMs } = options;
  const open = async (): Promise<LockManagerUnderTest> => {
    const opened = await options.create();
    onTestFinished(() => opened.close());
    return opened;
  };

  describe(`lock manager: ${options.name}`, () => {
    it('gives a key to one of many', async () => {
      const { locks } = await open();
      const leases = await inParallel(20, () => locks.acquire('k', { ttlMs }));
      expect(leases.filter((lease) => lease !== null)).toHaveLength(1);
      expect(await locks.acquire('other', { ttlMs }), 'keys are apart').not.toBeNull();
    });

    it('gives it again after release, with a higher token', async () => {
      const { locks } = await open();
      const first = await locks.acquire('k', { ttlMs });
      expect(await first?.release()).toBe(true);
      expect(await first?.release(), 'released once').toBe(false);
      const second = await locks.acquire('k', { ttlMs });
      expect(second?.token).toBeGreaterThan(first?.token ?? Infinity);
    });

    it('frees itself when its holder died, not before', async () => {
      const { locks, advance } = await open();
      const first = await locks.acquire('k', { ttlMs });
      await advance(ttlMs / 2);
      expect(await locks.acquire('k', { ttlMs })).toBeNull();
      await advance(ttlMs / 2 + 1);
      const second = await locks.acquire('k', { ttlMs });
      expect(second?.token).toBeGreaterThan(first?.token ?? Infinity);
    });

    it('takes a time that is no whole number of milliseconds', async () => {
      const { locks } = await open();
      const lease = await locks.acquire('k', { ttlMs: ttlMs + 0.5 });
      expect(await lease?.renew(ttlMs + 0.1)).toBe(true);
      expect(await lease?.release()).toBe(true);
    });

    it.each([0, -5, Number.NaN, Infinity, 1e300])(
      'is not given for %s milliseconds',
      async (odd) => {
        const { locks } = await open();
        const refused = { code: 'INVALID_REQUEST' };
        await expect(locks.acquire('k', { ttlMs: odd })).rejects.toMatchObject(refused);
        const lease = await locks.acquire('k', { ttlMs });
        await expect(lease?.renew(odd)).rejects.toMatchObject(refused);
        expect(await lease?.release(), 'and stays as it was').toBe(true);
      },
    );

    it('is kept by a live holder that renews', async () => {
      const { locks, advance } = await open();
      const lease = await locks.acquire('k', { ttlMs });
      for (let round = 0; round < 3; round += 1) {
        await advance(ttlMs / 2);
        expect(await lease?.renew(ttlMs)).toBe(true);
      }
      expect(await locks.acquire('k', { ttlMs })).toBeNull();
    });

    it('is lost for a holder that slept over its time, and stays with the next one', async () => {
      const { locks, advance } = await open();
      const sleeper = await locks.acquire('k', { ttlMs });
      await advance(ttlMs * 2);
      const next = await locks.acquire('k', { ttlMs });
      expect(next).not.toBeNull();
      expect(await sleeper?.renew(ttlMs)).toBe(false);
      expect(await sleeper?.release()).toBe(false);
      expect(await locks.acquire('k', { ttlMs }), 'still held').toBeNull();
      expect(await next?.release()).toBe(true);
    });
  });
}
