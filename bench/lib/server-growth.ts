import { setTimeout as wait } from 'node:timers/promises';
import { median, round, sample, type BenchOptions, type Result } from './measure.ts';
import type { ServerPlace } from './server-place.ts';
import { steppedSession, STEPS_AT_A_TIME, TIMES, type SteppedSession } from './stepped-session.ts';

/** Sessions of each size that are not measured. */
const WARM_UP = 1;
/** Until what was put off is written too. */
const SETTLE_MS = 200;

interface Cost {
  /** By the clock. */
  readonly ms: number;
  /** Computed here and in the server. */
  readonly cpuMs: number;
  readonly bytes: number;
}

interface Pair {
  readonly small: Cost;
  readonly large: Cost;
}

/** Two sessions that take steps in turn: what a step costs where the transcript has about 50 and about 5,000 messages. */
export async function serverGrowth(place: ServerPlace, options: BenchOptions): Promise<Result[]> {
  const stores = place.open();
  options.progress(`${place.name}: growth to 5,000 messages`);
  const pairs: Pair[] = [];
  const count = WARM_UP + (options.quick ? 2 : 5);
  for (let number = 0; number < count; number += 1) {
    options.progress(`${place.name}: growth, ${number + 1} of ${count}`);
    const small = await steppedSession(stores, 50);
    const large = await steppedSession(stores, 5_000);
    const costs = await takeTurns(place, small, large);
    if (number >= WARM_UP) pairs.push(...costs);
    await Promise.all([small.finish(), large.finish()]);
  }
  stores.close();
  const row = (name: string, unit: string, pick: (cost: Cost) => number): Result => {
    const at = (size: 'small' | 'large'): string =>
      round(median(pairs.map((pair) => pick(pair[size]))));
    return {
      case: place.name,
      name: `step at 5,000 messages, ${name}`,
      value: median(pairs.map((pair) => pick(pair.large) / pick(pair.small))),
      unit: '× a step at 50 messages',
      target: { atMost: 1.1 },
      detail: `${at('small')} and ${at('large')} ${unit} per step`,
    };
  };
  return [
    row('time', 'ms', ({ ms }) => ms),
    row('CPU', 'ms of CPU time here and in the server', ({ cpuMs }) => cpuMs),
    row('bytes', "bytes in the server's log", ({ bytes }) => bytes),
  ];
}

/** Every other time the large one goes first. */
async function takeTurns(
  place: ServerPlace,
  small: SteppedSession,
  large: SteppedSession,
): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (let time = 0; time < TIMES; time += 1) {
    const first = await costOf(place, time % 2 === 0 ? small : large);
    const second = await costOf(place, time % 2 === 0 ? large : small);
    pairs.push(time % 2 === 0 ? { small: first, large: second } : { small: second, large: first });
  }
  return pairs;
}

async function costOf(place: ServerPlace, session: SteppedSession): Promise<Cost> {
  await wait(SETTLE_MS);
  const before = await place.bytesWritten();
  const { wallMs, cpuMs, serverMs } = await sample(
    () => session.take(STEPS_AT_A_TIME),
    place.serverClock,
  );
  await wait(SETTLE_MS);
  const bytes = (await place.bytesWritten()) - before;
  return {
    ms: wallMs / STEPS_AT_A_TIME,
    cpuMs: (cpuMs + serverMs) / STEPS_AT_A_TIME,
    bytes: bytes / STEPS_AT_A_TIME,
  };
}
