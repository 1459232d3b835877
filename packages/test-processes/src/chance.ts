/** Numbers from 0 up to 1. */
export type Chance = () => number;

/** The same ones for the same seed. */
export function chance(seed: number): Chance {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}
