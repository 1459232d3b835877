import type { Boundary } from './boundary.ts';
import type { Fate } from './mortal-process.ts';
import type { PersonOptions } from './person.ts';
import { seededRandom } from '../world/random.ts';

const SIDES = ['before', 'after'] as const;
const WRITES: readonly string[] = ['commit', 'answerCall', 'requestInterrupt', 'expireCalls'];
/** How far into its life the second process dies. */
const SECOND_LIFE = 60;

/** Death before and after every call; dead runs are taken up by `recover()` and `resume()` in turn. */
export function deaths(boundaries: readonly Boundary[], stride: number): PersonOptions[] {
  return everyNth(boundaries, stride).flatMap((at) =>
    SIDES.map((side) => ({
      fates: [{ kind: 'die' as const, at, side }],
      takeUp: at % 2 === 0 ? ('recover' as const) : ('resume' as const),
    })),
  );
}

/** Every call to the store throws once: writes with and without having been applied, reads without an answer. */
export function faults(boundaries: readonly Boundary[], stride: number): PersonOptions[] {
  const plans: PersonOptions[] = [];
  boundaries.forEach(({ place, what }, at) => {
    if (place !== 'store') return;
    const write = WRITES.includes(what);
    for (const side of write ? SIDES : (['before'] as const)) {
      plans.push({ fates: [{ kind: 'fault', at, side }], patient: true });
    }
  });
  return plans.filter((_, position) => position % stride === 0);
}

/**
 * The process is silent for longer than its lease, and goes on when another one has taken over, or finished. Not while
 * it carries out a client's command: a message, stop or abort that arrives late is a new one.
 */
export function pauses(boundaries: readonly Boundary[], stride: number): PersonOptions[] {
  const owned = [...boundaries.keys()].filter((at) => boundaries[at]?.command === null);
  return owned
    .filter((_, position) => position % stride === 0)
    .flatMap((at) =>
      SIDES.map((side) => ({
        fates: [{ kind: 'pause' as const, at, side }],
        release: side === 'before' ? ('at-the-end' as const) : ('early' as const),
      })),
    );
}

/** The process that goes on dies too. */
export function twoDeaths(
  boundaries: readonly Boundary[],
  count: number,
  seed: number,
): PersonOptions[] {
  const random = seededRandom(seed).next;
  const fate = (below: number): Fate => ({
    kind: 'die',
    at: Math.floor(random() * below),
    side: random() < 0.5 ? 'before' : 'after',
  });
  return Array.from({ length: count }, () => ({
    fates: [fate(boundaries.length), fate(SECOND_LIFE)],
    takeUp: random() < 0.5 ? ('recover' as const) : ('resume' as const),
  }));
}

function everyNth(boundaries: readonly Boundary[], stride: number): number[] {
  return [...boundaries.keys()].filter((at) => at % stride === 0);
}
