import { manualClock } from '@helix-agents/testing';
import { describe, expect, it } from 'vitest';

describe('a manual clock', () => {
  it('fires timers in order, each at its own time', async () => {
    const clock = manualClock(1_000);
    const fired: string[] = [];
    clock.setTimer(20, () => fired.push(`b at ${clock.now()}`));
    clock.setTimer(10, () => fired.push(`a at ${clock.now()}`));
    const cancel = clock.setTimer(15, () => fired.push('cancelled'));
    cancel();
    await clock.advance(19);
    expect(fired).toEqual(['a at 1010']);
    await clock.advance(1);
    expect(fired).toEqual(['a at 1010', 'b at 1020']);
    expect(clock.now()).toBe(1_020);
    expect(clock.pending).toBe(0);
  });

  it('wakes a sleeper that sleeps again on the way', async () => {
    const clock = manualClock(0);
    const woke: number[] = [];
    const sleeper = (async () => {
      for (let round = 0; round < 3; round += 1) {
        await clock.sleep(10);
        woke.push(clock.now());
      }
    })();
    await clock.advance(30);
    await sleeper;
    expect(woke).toEqual([10, 20, 30]);
  });

  it('is set back without waking anybody late or early', async () => {
    const clock = manualClock(1_000);
    let woke = false;
    clock.setTimer(10, () => (woke = true));
    clock.set(5);
    expect(clock.now()).toBe(5);
    await clock.advance(9);
    expect(woke).toBe(false);
    await clock.advance(1);
    expect(woke).toBe(true);
    expect(clock.now()).toBe(15);
  });
});
